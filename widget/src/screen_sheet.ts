/** A style sheet that says how much of the screen there is: with the keyboard up a phone shows less than the page's height. */
export function screenSheet(signal: AbortSignal): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const screen = window.visualViewport;
  const fit = (): void => {
    if (screen) sheet.replaceSync(`:host{--height:${screen.height}px;--top:${screen.offsetTop}px}`);
  };
  fit();
  screen?.addEventListener("resize", fit, { signal });
  screen?.addEventListener("scroll", fit, { signal });
  return sheet;
}
