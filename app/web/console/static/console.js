/* What a script makes easier; every page works without it. */
"use strict";

/* <button data-copy="id of the element"> copies its text. */
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  navigator.clipboard.writeText(source.value ?? source.textContent).then(() => {
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 2000);
  });
});

/* The agent picker closes when one looks elsewhere. */
document.addEventListener("click", (event) => {
  for (const picker of document.querySelectorAll("details.picker[open]")) {
    if (!picker.contains(event.target)) picker.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const picker of document.querySelectorAll("details.picker[open]")) {
    picker.open = false;
    picker.querySelector("summary").focus();
  }
});

/* An address that names a fold opens it. */
function openNamed() {
  const named = document.getElementById(location.hash.slice(1));
  if (named?.matches("details")) named.open = true;
}
openNamed();
window.addEventListener("hashchange", openNamed);

/* A row of tabs that is wider than the screen begins with the tab of this page. */
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const [row, place] = [tab.closest("ul"), tab.getBoundingClientRect()];
  row.scrollLeft += place.left + place.width / 2 - row.getBoundingClientRect().left - row.clientWidth / 2;
}

/* <a hidden data-own-zone="UTC" href="...zone=own"> leads to the page in the browser's time zone, where that is another. */
for (const link of document.querySelectorAll("a[data-own-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || zone === link.dataset.ownZone) continue;
  const address = new URL(link.href);
  address.searchParams.set("zone", zone);
  link.href = address.href;
  link.textContent = `Show in your time zone, ${zone}`;
  link.hidden = false;
}

/* <input data-colour="what the picker is called"> takes #rrggbb, and gets a picker beside it. */
for (const field of document.querySelectorAll("input[data-colour]")) {
  const picker = document.createElement("input");
  const row = document.createElement("div");
  picker.type = "color";
  picker.value = "#2b59c3"; // what the widget wears by itself
  picker.setAttribute("aria-label", field.dataset.colour);
  row.className = "with-picker";
  field.before(row);
  row.append(field, picker);
  const follow = () => { if (/^#[0-9a-f]{6}$/i.test(field.value)) picker.value = field.value; };
  follow();
  field.addEventListener("input", follow);
  picker.addEventListener("input", () => { field.value = picker.value; });
}
