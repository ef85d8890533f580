/** A file of its own, for websites that want a search beside the chat or without it. */
import { readOptions } from "./options.js";
import { SearchBox } from "./search_box.js";

// Read now: `currentScript` is gone once the first task ends.
const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  const start = (): void => {
    const options = readOptions(script.dataset, script.src, document.documentElement.lang || navigator.language);
    // The same tag twice, as after a client-side navigation, is still one search.
    if (!options) console.error("Docent: no data-agent.");
    else if (!document.querySelector("docent-search")) new SearchBox(options, script.dataset.shortcut !== "off");
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
  else start();
}
