/** A style sheet that says how much of the screen there is: with the keyboard up a phone shows less than the page's height. Where the panel
 * does not fill the screen (frame.css), it has no rule, and nothing is styled anew. */
export function screenSheet(signal: AbortSignal): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const screen = window.visualViewport;
  const fit = (): void => {
    if (screen) sheet.replaceSync(`@media(max-width:480px),(max-height:420px){:host{--height:${screen.height}px;--top:${screen.offsetTop}px}}`);
  };
  fit();
  screen?.addEventListener("resize", fit, { signal });
  screen?.addEventListener("scroll", fit, { signal });
  return sheet;
}
