/* Beside the settings: a field that finds some of them, and a panel that looks as they say before they are saved. */
"use strict";

(() => {
  const form = document.querySelector("form.settings");
  const finder = document.querySelector("[data-finds-settings]");
  if (finder && form) {
    const found = finder.querySelector("[role=status]");
    finder.hidden = false;
    finder.querySelector("input").addEventListener("input", ({ target }) => {
      const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fields = [...form.querySelectorAll(".field, fieldset")];
      for (const field of fields) field.hidden = !words.every((word) => field.textContent.toLowerCase().includes(word));
      for (const around of form.querySelectorAll(".row, .fold, .card")) {
        around.hidden = words.length > 0 && !around.querySelector(":is(.field, fieldset):not([hidden])");
        if (words.length && around.matches(".fold") && !around.hidden) around.open = true;
      }
      const count = fields.filter((field) => !field.hidden).length;
      found.textContent = words.length ? `${count} of ${fields.length} settings` : "";
    });
  }

  const panel = document.querySelector("[data-panel]");
  if (!panel || !form) return;
  const saidIn = (name) => form.elements[name]?.value.trim() ?? "";

  function draw() {
    for (const place of panel.querySelectorAll("[data-shows]")) place.textContent = saidIn(place.dataset.shows) || place.dataset.instead;
    panel.querySelector("[data-letter]").textContent = [...saidIn("name")][0]?.toUpperCase() ?? "";
    const colour = /^#[0-9a-f]{6}$/i.test(saidIn("theme_primary_color")) ? saidIn("theme_primary_color") : "#2b59c3"; // as the widget has it
    panel.style.setProperty("--panel", colour);
    panel.style.setProperty("--on-panel", isLight(colour) ? "#000" : "#fff");
    panel.querySelector("[data-starters]").replaceChildren(...saidIn("starter_prompts").split("\n").filter((line) => line.trim()).map(starter));
  }

  function starter(question) {
    const [item, button] = [document.createElement("li"), document.createElement("button")];
    button.type = "button";
    button.className = "button quiet small";
    button.dir = "auto";
    button.textContent = question;
    button.addEventListener("click", () => {
      const asking = panel.querySelector("form");
      asking.elements.question.value = question;
      asking.requestSubmit();
    });
    item.append(button);
    return item;
  }

  /* Whether black is easier to read on it than white: by WCAG's relative luminance. */
  function isLight(colour) {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const share = parseInt(colour.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  }

  form.addEventListener("input", draw);
  draw();
})();
