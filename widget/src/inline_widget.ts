import inlineCss from "./inline.css";
import type { DocentWidget } from "./docent.js";
import type { Options } from "./options.js";
import { Widget } from "./widget.js";

/** The class of widgets that stand in this element. */
export const widgetIn = (into: Element): typeof Widget =>
  class extends InlineWidget {
    constructor(options: Options, agents?: Record<string, DocentWidget>) {
      super({ ...options, into }, agents);
    }
  };

/** A conversation that stands in an element of the page: always open, and without a launcher. */
class InlineWidget extends Widget {
  readonly #shadow: ShadowRoot;
  #watch: IntersectionObserver | undefined;

  constructor(options: Options & { mode?: string }, agents?: Record<string, DocentWidget>) {
    super(options, agents);
    const host = options.into!.lastElementChild!;
    host.setAttribute("data-mode", options.mode === "page" ? "page" : "inline");
    this.#shadow = host.shadowRoot!;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(inlineCss);
    this.#shadow.adoptedStyleSheets.push(sheet);
  }

  /** Nothing is loaded and nothing is sent before it comes into view. */
  override start(): void {
    this.#watch = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.open());
    this.#watch.observe(this.#shadow.host);
  }

  override open(): void {
    this.#watch?.disconnect();
    super.open();
    // A part of the page, not something on top of it.
    this.#shadow.querySelector(".panel")?.setAttribute("role", "region");
  }

  override close(): void {
    // There is nothing to give way to.
  }

  override destroy(): void {
    this.#watch?.disconnect();
    super.destroy();
  }
}
