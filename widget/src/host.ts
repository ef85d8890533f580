/** Puts the widget's element beside the page's body, which a framework may draw anew, or into `root`; dark or light as the visitor's
 * system is unless the website says which. It is kept there until `signal` says that it is gone. */
export function placeOnPage(host: HTMLElement, theme: string | undefined, signal: AbortSignal, root: Element = document.documentElement): void {
  const dark = matchMedia("(prefers-color-scheme:dark)");
  const applyMode = (): void => {
    host.dataset.theme = theme ?? (dark.matches ? "dark" : "light");
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
}
