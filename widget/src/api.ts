import { readOptions } from "./options.js";
import { Widget, type EventName, type Listener } from "./widget.js";

/** A call made before the script had loaded: `(window.Docent = window.Docent || []).push(["open"])`. */
type QueuedCall = [name: string, ...args: unknown[]];

/** The one global. Its own calls mean the page's first agent; `agent(id)` finds any other. */
export interface DocentApi {
  open(): void;
  close(): void;
  toggle(): void;
  ask(question: string): void;
  reset(): void;
  on(name: EventName, listener: Listener): () => void;
  destroy(): void;
  push(call: QueuedCall): void;
  agent(id: string): Widget | undefined;
  /** @internal */
  add(id: string, make: (above: number) => Widget): void;
}

declare global {
  interface Window {
    Docent?: DocentApi | QueuedCall[];
  }
}

export function install(script: HTMLScriptElement): void {
  const options = readOptions(script.dataset, script.src, document.documentElement.lang || navigator.language);
  if (!options) {
    console.error("Docent: the script tag needs data-agent.");
    return;
  }
  const found = window.Docent;
  const api = found && !Array.isArray(found) ? found : createApi();
  window.Docent = api;
  api.add(options.agentId, (above) => new Widget(options, above));
  if (Array.isArray(found)) found.forEach(api.push);
  if (options.open) api.agent(options.agentId)?.open();
}

function createApi(): DocentApi {
  const widgets = new Map<string, Widget>();
  const first = (): Widget | undefined => widgets.values().next().value;
  const api: DocentApi = {
    open: () => first()?.open(),
    close: () => first()?.close(),
    toggle: () => first()?.toggle(),
    ask: (question) => first()?.ask(question),
    reset: () => first()?.reset(),
    on: (name, listener) => first()?.on(name, listener) ?? (() => undefined),
    destroy: () => {
      for (const widget of widgets.values()) widget.destroy();
      widgets.clear();
    },
    push: ([name, ...args]) => {
      const call = name === "push" || name === "add" ? null : api[name as keyof DocentApi];
      if (typeof call === "function") (call as (...args: unknown[]) => unknown)(...args);
    },
    agent: (id) => widgets.get(id),
    add: (id, make) => {
      // The same tag twice, as after a client-side navigation, is still one widget.
      if (!widgets.has(id)) widgets.set(id, make(widgets.size));
    },
  };
  return api;
}
