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
