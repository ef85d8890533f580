import { readOptions } from "./options.js";
import { Widget } from "./widget.js";

export function install(script: HTMLScriptElement, Kind = Widget): void {
  const options = readOptions(script.dataset, script.src, document.documentElement.lang || navigator.language);
  if (!options) return console.error("Docent: no data-agent.");
  const found = window.Docent;
  const queue = Array.isArray(found) ? found : [];
  const first = Array.isArray(found) ? undefined : found;
  // The same tag twice, as after a client-side navigation, is still one widget.
  if (first?.agents[options.agentId]) return;
  const widget = new Kind(options, first?.agents);
  window.Docent = first ?? widget;
  queue.forEach((call) => widget.push(call));
  widget.begin();
}

/** The scripts of this name whose tag no `currentScript` tells: those inside of open shadow roots, and modules. */
export function scriptsOf(name: string, root: Document | ShadowRoot = document): HTMLScriptElement[] {
  return [...root.querySelectorAll("*")].flatMap((each) => {
    if (each.shadowRoot) return scriptsOf(name, each.shadowRoot);
    return each instanceof HTMLScriptElement && each.dataset.agent && each.src.includes(`/widget/${name}.`) ? [each] : [];
  });
}

/** Calls `act` with the script's own tag, once the page has a body. `current` is read at the script's first moment. */
export function whenReady(name: string, current: Element | null, act: (script: HTMLScriptElement) => void): void {
  const start = (): void => {
    const scripts = current instanceof HTMLScriptElement ? [current] : scriptsOf(name);
    if (!scripts[0]) console.error("Docent: its script tag is not to be found: is it in a closed shadow root?");
    scripts.forEach(act);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
  else start();
}
