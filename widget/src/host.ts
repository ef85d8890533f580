import type { Options } from "./options.js";

/** Puts the widget's element beside the page's body, which a framework may draw anew, or into `root`; dark or light as the visitor's
 * system is unless the website says which. It is kept there until `signal` says that it is gone. Returns what looks again at `options`. */
export function placeOnPage(host: HTMLElement, options: Options, signal: AbortSignal): () => void {
  const root = options.into ?? document.documentElement;
  const dark = matchMedia("(prefers-color-scheme:dark)");
  const applyMode = (): void => {
    host.dataset.theme = options.theme ?? (dark.matches ? "dark" : "light");
  };
  applyMode();
  dark.addEventListener("change", applyMode, { signal });
  root.append(host);
  // Whoever takes us away by drawing it anew gets us back.
  let returns = 0;
  const watch = new MutationObserver(() => {
    if (!host.isConnected && returns++ < 99) root.append(host);
  });
  watch.observe(root, { childList: true });
  signal.addEventListener("abort", () => watch.disconnect());
  return applyMode;
}
