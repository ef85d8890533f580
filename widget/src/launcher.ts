import { fill, h, icon, picture } from "./element.js";
import type { Speech } from "./speech.js";

const DRAWINGS = {
  chat: "M20 12a8 8 0 0 1-11 7l-5 1 1-5a8 8 0 1 1 15-3ZM8.5 12h0M12 12h0M15.5 12h0",
  help: "M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3q-1 .5-1 1.7M12 16.5h0M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  spark: "M12 3l2 7 7 2-7 2-2 7-2-7-7-2 7-2z",
} as const;

export interface LauncherActions {
  toggle: () => void;
  /** The pointer or the focus has come to the launcher. */
  approach: () => void;
}

/** What stands on the page from the start: the button, and the element that the panel is put into. */
export class Launcher {
  readonly root: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly announcer = h("div", { class: "sr", role: "status", "aria-live": "polite" });
  readonly #label = h("span", { class: "label" });

  constructor(
    readonly speech: Speech,
    { toggle, approach }: LauncherActions,
  ) {
    this.button = h("button", {
      class: "launcher",
      part: "launcher",
      "aria-haspopup": "dialog",
      click: toggle,
      pointerover: approach,
      focus: approach,
    });
    // The page's own shortcuts must not fire while someone types a question.
    const stop = (event: Event): void => event.stopPropagation();
    this.root = h(
      "div",
      { class: "root", dir: speech.direction, lang: speech.language, keydown: stop, keyup: stop, keypress: stop },
      this.button,
      this.announcer,
    );
    this.show(false);
  }

  /** How the button looks and is called; `isHidden` where the website has one of its own, `url` of a picture in place of the drawing. */
  dress(text: string, name: string, isHidden: boolean, url: string | false | undefined): void {
    this.button.hidden = isHidden;
    this.#label.textContent = text;
    const drawing = icon(DRAWINGS[name as "chat"] ?? DRAWINGS.chat);
    fill(this.button, url ? picture(url, drawing) : drawing, this.#label);
    this.button.ariaLabel = text || this.speech.chat;
  }

  /** Gives way to the open panel, or comes back. */
  show(isOpen: boolean): void {
    this.button.setAttribute("aria-expanded", String(isOpen));
    this.button.classList.toggle("away", isOpen);
  }
}
