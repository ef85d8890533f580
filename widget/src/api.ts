import { readOptions } from "./options.js";
import { Widget, type QueuedCall } from "./widget.js";

declare global {
  interface Window {
    /** The one global: the page's first widget, or before the script has loaded a list of calls to make. */
    Docent?: Widget | QueuedCall[];
  }
}

export function install(script: HTMLScriptElement, Kind = Widget): void {
  const options = readOptions(script.dataset, script.src, document.documentElement.lang || navigator.language);
  if (!options) return console.error("Docent: no data-agent.");
  const found = window.Docent;
  const queue = Array.isArray(found) ? found : [];
  const first = Array.isArray(found) ? undefined : found;
  // The same tag twice, as after a client-side navigation, is still one widget.
  if (first?.agents[options.agentId]) return;
  const widget = new Kind(options, first?.agents);
  if (!first || !Object.values(first.agents).includes(first)) window.Docent = widget;
  queue.forEach((call) => widget.push(call));
  widget.start();
}
