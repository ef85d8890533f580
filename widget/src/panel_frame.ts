import { fill, h, icon, iconButton } from "./element.js";
import { ICONS } from "./icons.js";
import type { Speech } from "./speech.js";
import { dots, trouble } from "./trouble.js";
import { W, type Words } from "./words.js";

const MAX_QUESTION = 4000;

/** The panel as far as it stands before its own script is here: somebody can read who answers, and type. `PanelView` fills it. */
export class PanelFrame {
  readonly name = h("bdi");
  readonly avatar = h("span", { class: "avatar", "aria-hidden": "true" });
  /** By law at first sight, before anything can be asked. */
  readonly disclosure = h("p", { class: "note", id: "disclosure", dir: "auto" });
  readonly log = h("div", { class: "log", part: "log", role: "log", "aria-live": "off", tabindex: 0 });
  readonly notice = h("p", { class: "notice", role: "status" });
  readonly input = h("textarea", { rows: 1, maxlength: MAX_QUESTION, enterkeyhint: "send", dir: "auto" });
  readonly send = h("button", { class: "send", disabled: true }, icon(ICONS.send));
  readonly wide: HTMLButtonElement;
  readonly end: HTMLButtonElement;
  readonly panel: HTMLElement;
  readonly #grow = h("div", { class: "grow" }, this.input);
  /** Somebody has asked before there was anything to ask. */
  isSent = false;
  /** What is done with what was typed; `isPressed` by the button, which also stops. */
  submit: (isPressed: boolean) => void = () => {
    this.isSent = !!this.input.value.trim();
  };

  /** Does what breaks the lines anew. */
  change: (act: () => void) => void = (act) => act();

  constructor({ chat }: Speech, words: Partial<Words>, end: () => void, widen: () => void) {
    this.end = iconButton(words[W.close]!, ICONS.close, end);
    this.wide = iconButton(words[W.wide]!, ICONS.wide, () => this.change(widen), { class: "icon wide" });
    const submitted = (event: Event): void => {
      event.preventDefault();
      this.submit(event.type === "submit");
    };
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submitted(event);
    });
    this.input.addEventListener("input", () => this.typed());
    this.panel = h(
      "section",
      { class: "panel", part: "panel", role: "dialog", "aria-describedby": "disclosure", tabindex: -1 },
      // No <header>: in a page that has one of its own it would be a second banner.
      h("div", { class: "header", part: "header" }, this.avatar, h("h2", {}, this.name), this.wide, this.end),
      this.disclosure,
      this.log,
      this.notice,
      h("form", { class: "composer", part: "composer", submit: submitted }, this.#grow, this.send),
    );
    this.panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      end();
    });
    for (const named of [this.panel, this.log, this.input, this.send]) named.ariaLabel = chat;
    this.wait();
  }

  /** Says everything that it says in these words. */
  speak(words: Words): void {
    const call = (button: HTMLElement, name: string): void => {
      button.title = name;
      button.ariaLabel = name;
    };
    call(this.end, words[W.close]);
    call(this.wide, words[W.wide]);
    call(this.send, words[W.send]);
    this.input.placeholder = words[W.placeholder];
    this.input.ariaLabel = words[W.placeholder];
    this.disclosure.textContent = words[W.note];
  }

  wait(): void {
    fill(this.log, dots());
  }

  fail(text: string, retry: string, act: () => void): void {
    fill(this.log, trouble(text, retry, act));
  }

  /** After each change of what stands in the field. */
  typed(): void {
    // The twin behind the field gives it its height: no measuring, no inline style.
    this.#grow.setAttribute("data-text", this.input.value + " ");
    this.send.disabled = this.send.dataset.running !== "true" && !this.input.value.trim();
  }

  /** Moves focus in: to the question, or on a touch screen to the panel, where no keyboard jumps up. */
  focus(): void {
    const touch = matchMedia("(pointer:coarse)").matches;
    (touch ? this.panel : this.input).focus({ preventScroll: true });
  }
}
