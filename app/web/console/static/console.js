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
