import { install } from "./api.js";

// Read now: `currentScript` is gone once the first task ends.
const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  const start = (): void => install(script);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
  else start();
}
