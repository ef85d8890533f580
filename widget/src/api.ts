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
