/* Enter sends what is written to a visitor; with Shift it begins a new line. */
"use strict";

document.addEventListener("keydown", (event) => {
  const { target, key, shiftKey, isComposing } = event;
  if (key !== "Enter" || shiftKey || isComposing || !target.matches("[data-enter-sends]")) return;
  event.preventDefault();
  if (target.value.trim()) target.form.requestSubmit();
});
for (const hint of document.querySelectorAll("[data-enter-hint]")) hint.hidden = false;
