/* Enter sends what is written to a visitor; with Shift it begins a new line. That the visitor writes is spoken once. */
"use strict";

document.addEventListener("keydown", (event) => {
  const { target, key, shiftKey, isComposing } = event;
  if (isComposing || !target.matches("[data-enter-sends]")) return;
  if (key === "Escape") target.blur(); // for the keys of the list
  if (key !== "Enter" || shiftKey) return;
  event.preventDefault();
  if (!target.value.trim()) return;
  htmx.process(target.form); // one that was drawn this moment is not htmx's own yet, and would load the page anew
  target.form.requestSubmit();
});

/* Also below a form that was drawn anew. */
function tellOfEnter() {
  for (const hint of document.querySelectorAll("[data-enter-hint]")) hint.hidden = false;
}
tellOfEnter();

// Whoever has taken a chat over writes next. The address leads to all that is to do, of which this is the first.
const write = (place) => place?.id === "write" && place.querySelector("[data-enter-sends]")?.focus();
document.addEventListener("focusin", ({ target }) => write(target));
write(document.activeElement);

document.addEventListener("htmx:afterSettle", () => {
  tellOfEnter();
  const said = document.getElementById("typing-said");
  const seen = document.querySelector("#newer [data-typing]")?.textContent ?? "";
  if (said && said.textContent !== seen) said.textContent = seen;
});
