import type { PastConversation } from "./contract.js";
import { chip, fill, h, iconButton, ICONS } from "./element.js";
import type { Failure } from "./failure.js";
import { dots, trouble } from "./trouble.js";
import { failureText, W, type Words } from "./words.js";

export interface PastActions {
  /** The visitor's conversations, latest activity first. Rejects with a Failure. */
  past(): Promise<PastConversation[]>;
  /** The id of the one that is open. */
  current(): string | null | undefined;
  goTo(conversation: string): void;
  fresh(): Promise<void>;
  focus(): void;
}

/** The list of the visitor's conversations, in place of the one that is open. */
export class PastView {
  readonly button: HTMLElement;
  readonly #list = h("div", { class: "past", hidden: true });

  constructor(
    readonly words: Words,
    readonly locale: string,
    readonly log: HTMLElement,
    readonly actions: PastActions,
  ) {
    const toggle = (): void => (this.#list.hidden ? void this.#open() : this.#leave());
    this.button = iconButton(words[W.past], ICONS.past, toggle, { hidden: true, "aria-expanded": "false" });
    this.#list.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      // Of the list, not of the panel.
      event.stopPropagation();
      event.preventDefault();
      this.#leave();
    });
    log.before(this.#list);
  }

  close(): void {
    if (!this.#list.hidden) this.#show(false);
  }

  #leave(): void {
    this.#show(false);
    this.actions.focus();
  }

  #show(isOpen: boolean): void {
    const { log } = this;
    const top = log.scrollTop;
    this.#list.hidden = !isOpen;
    log.hidden = isOpen;
    if (!isOpen) log.scrollTop = top || log.scrollTop;
    this.button.setAttribute("aria-expanded", String(isOpen));
  }

  async #open(): Promise<void> {
    this.#show(true);
    fill(this.#list, dots());
    try {
      const found = await this.actions.past();
      fill(this.#list, h("h3", {}, this.words[W.past]), ...found.map((one) => this.#entry(one)), chip(this.words[W.fresh], () => this.#fresh(), ICONS.fresh));
      this.#list.querySelector("button")?.focus();
    } catch (error) {
      fill(this.#list, trouble(failureText(this.words, (error as Failure).code), this.words[W.retry], () => void this.#open()));
    }
  }

  #entry({ id, first_question: question, last_active_at: at }: PastConversation): HTMLElement {
    const isCurrent = id === this.actions.current();
    const time = new Intl.DateTimeFormat(this.locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
    const go = (): void => {
      this.#leave();
      if (!isCurrent) this.actions.goTo(id);
    };
    return h("button", { class: "entry", "aria-current": isCurrent && "true", click: go }, h("span", { class: "title", dir: "auto" }, question), h("span", { class: "place" }, time));
  }

  #fresh(): void {
    this.#leave();
    void this.actions.fresh();
  }
}
