import type { Client } from "./client.js";
import type { PastConversation } from "./contract.js";
import css from "./past.css";
import { chip, fill, h } from "./element.js";
import { ICONS } from "./icons.js";
import type { Failure } from "./failure.js";
import { pastConversations, transcriptOf } from "./history.js";
import { T, textOf } from "./past_words.js";
import { dots, trouble } from "./trouble.js";
import { failureText, W, type Words } from "./words.js";

export interface PastActions {
  readonly client: Client;
  goTo(conversation: string): void;
  fresh(): Promise<void>;
  focus(): void;
}

/** The list of the visitor's conversations, in place of the one that is open. */
export class PastView {
  readonly #list = h("div", { class: "past", hidden: true });

  constructor(
    readonly words: Words,
    readonly locale: string,
    readonly log: HTMLElement,
    readonly button: HTMLElement,
    readonly actions: PastActions,
  ) {
    this.#list.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      // Of the list, not of the panel.
      event.stopPropagation();
      event.preventDefault();
      this.#leave();
    });
    const shadow = log.getRootNode() as ShadowRoot;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets.push(sheet);
    log.before(this.#list);
  }

  toggle(): void {
    if (this.#list.hidden) void this.#open();
    else this.#leave();
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
      const found = await pastConversations(this.actions.client);
      const saved = found.some(({ id }) => id === this.actions.client.conversation) && h("div", { class: "saved" });
      const fresh = chip(this.words[W.fresh], () => this.#fresh(), ICONS.plus);
      fill(this.#list, h("h3", {}, this.words[W.past]), ...found.map((one) => this.#entry(one)), fresh, saved);
      if (saved) this.#offerSaving(saved);
      this.#list.querySelector("button")?.focus();
    } catch (error) {
      fill(this.#list, trouble(failureText(this.words, (error as Failure).code), this.words[W.retry], () => void this.#open()));
    }
  }

  #entry({ id, first_question: question, last_active_at: at }: PastConversation): HTMLElement {
    const isCurrent = id === this.actions.client.conversation;
    const time = new Intl.DateTimeFormat(this.locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
    const go = (): void => {
      this.#leave();
      if (!isCurrent) this.actions.goTo(id);
    };
    return h("button", { class: "entry", "aria-current": isCurrent && "true", click: go }, h("span", { class: "title", dir: "auto" }, question), h("span", { class: "place" }, time));
  }

  #offerSaving(place: HTMLElement): void {
    fill(place, chip(textOf(this.words, T.saveTalk), () => void this.#save(place)));
  }

  /** For the visitor to keep: as a file, or by mail, which goes to the address alone that their website has signed. */
  async #save(place: HTMLElement): Promise<void> {
    const { words, actions } = this;
    await this.#try(place, async () => {
      const { text, mails_to: to } = await transcriptOf(actions.client);
      const download = (): void => {
        const href = "data:text/plain;charset=utf-8," + encodeURIComponent(text);
        h("a", { href, download: `${location.hostname}-${new Date().toISOString().slice(0, 10)}.txt` }).click();
        this.#offerSaving(place);
      };
      if (to) fill(place, chip(textOf(words, T.sendTo, to), () => void this.#send(place, to)), chip(textOf(words, T.download), download));
      else download();
    });
  }

  async #send(place: HTMLElement, to: string): Promise<void> {
    await this.#try(place, async () => {
      await this.actions.client.call("POST", "/transcript");
      fill(place, h("p", { class: "status", tabindex: -1 }, textOf(this.words, T.sentTo, to)));
    });
  }

  /** Focus goes on to what came of it. */
  async #try(place: HTMLElement, act: () => Promise<void>): Promise<void> {
    fill(place, dots());
    try {
      await act();
    } catch (error) {
      fill(place, trouble(failureText(this.words, (error as Failure).code), this.words[W.retry], () => void this.#try(place, act)));
    }
    place.querySelector<HTMLElement>("button,[tabindex]")?.focus();
  }

  #fresh(): void {
    this.#leave();
    void this.actions.fresh();
  }
}

export type OpenPast = (...args: ConstructorParameters<typeof PastView>) => PastView;
