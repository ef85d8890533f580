/** A file of its own, for websites that have the conversation as a part of a page, or as a page, in place of a launcher. */
import { install } from "./api.js";
import { widgetIn } from "./inline_widget.js";

// Read now: `currentScript` is gone once the first task ends.
const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  const start = (): void => {
    const { target } = script.dataset;
    const into = target ? document.querySelector(target) : script.parentElement;
    if (into && into !== document.head) install(script, widgetIn(into));
    else console.error(`Docent: data-target "${target ?? ""}" is no element of this page.`);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
  else start();
}
