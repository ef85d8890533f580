/** Puts the widget's element on its page, dark or light as the visitor's system is unless the website says which, and keeps it there
 * until `signal` says that it is gone. */
export function placeOnPage(host: Element, theme: string | undefined, signal: AbortSignal): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const applyMode = (): void => {
    host.setAttribute("data-theme", theme ?? (dark.matches ? "dark" : "light"));
  };
  applyMode();
  dark.addEventListener("change", applyMode, { signal });
  const root = document.documentElement;
  root.append(host);
  // Beside body, not in it: a framework may draw body anew without losing us. Should even that happen, we return.
  let returns = 0;
  const watch = new MutationObserver(() => {
    if (!host.isConnected && returns++ < 100) document.documentElement.append(host);
  });
  watch.observe(root, { childList: true });
  signal.addEventListener("abort", () => watch.disconnect());
}
