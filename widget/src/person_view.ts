import type { Rating } from "./contract.js";
import type { Desk } from "./desk.js";
import { chip, fill, h } from "./element.js";
import { outward } from "./markdown_view.js";
import type { PersonMessage } from "./person_contract.js";
import { noLine, type Line, type Unsent } from "./person_line.js";
import { P, textOf } from "./people_words.js";
import { shownPicture } from "./pictures.js";
import { safeLink } from "./safe_link.js";
import { dots } from "./trouble.js";
import { W } from "./words.js";

export interface PersonActions {
  end(): void;
  /** Draws what the agent has for those who would rather not wait. */
  offer(place: HTMLElement): void;
  /** Tells whether talking with a person helped. Rejects where that was not heard. */
  rate(rating: Rating): Promise<void>;
  /** Tells the person that somebody writes. */
  type(): void;
  /** What a message shows, by its number. */
  picture(number: number): Promise<Response>;
  /** Asks whoever answers now what did not reach a person. */
  askAgain(message: Partial<Pick<Unsent, "message_id" | "text">>): void;
}

/** How often a server is told that one writes; it forgets after six seconds. */
const TYPING_MS = 4000;

/** Draws the chat with a person into the panel: what is said among the turns, who is there above, who is awaited below. */
export class PersonView {
  readonly #desk: Desk;
  readonly #actions: PersonActions;
  readonly #panel: HTMLElement;
  readonly #fresh: HTMLElement;
  readonly #log: HTMLElement;
  readonly #turns: HTMLElement;
  readonly #input: HTMLTextAreaElement;
  readonly #unsent = h("div", { class: "unsent" });
  readonly #waiting = h("div", { class: "waiting", hidden: true });
  readonly #contact = h("div");
  readonly #typing = h("div", { class: "typing", hidden: true, "aria-hidden": "true" }, h("div", { class: "bubble" }, dots()));
  readonly #presence = h("div", { class: "presence", hidden: true });
  readonly #announcer = h("div", { class: "sr", "aria-live": "polite" });
  /** What stands among the turns, by what it is. */
  readonly #said = new Map<string, HTMLElement>();
  readonly #watch: MutationObserver;
  #before: Line = noLine;
  #name = "";
  #hasEnded = false;
  #typedAt = 0;

  constructor(desk: Desk, actions: PersonActions) {
    this.#desk = desk;
    this.#actions = actions;
    const find = (selector: string): HTMLElement => desk.root.querySelector<HTMLElement>(selector) as HTMLElement;
    this.#panel = find(".panel");
    this.#log = find(".log");
    this.#turns = find(".turns");
    this.#input = find(".composer textarea") as HTMLTextAreaElement;
    find(".header").after(this.#presence);
    this.#log.append(this.#typing, this.#waiting);
    this.#input.addEventListener("input", this.#typed);
    desk.root.append(this.#announcer);
    this.#fresh = find(".fresh");
    this.#watch = new MutationObserver(() => this.#offerFresh());
    this.#watch.observe(this.#fresh, { attributeFilter: ["hidden"] });
  }

  /** `isResumed`: what was said before this page goes between the turns, by its time. */
  draw(line: Line, isResumed: boolean): void {
    const before = this.#before;
    this.#before = line;
    const shadow = this.#desk.root.getRootNode() as ShadowRoot;
    const focused = shadow.activeElement;
    if (line.state !== before.state) this.#desk.emit("handover", { state: line.state, operator: line.operator });
    const isNear = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < 60;
    const wasTalking = before.state === "talking";
    const isTalking = line.state === "talking";
    const names = line.messages.map((message) => message.name).filter(Boolean);
    const name = isTalking ? (line.operator ?? names[names.length - 1] ?? this.#text(P.team)) : this.#name;
    if (isTalking && (!wasTalking || name !== this.#name)) {
      this.#hasEnded = false;
      if (!isResumed) this.#note(this.#text(P.joined, name));
      fill(
        this.#presence,
        h("span", { class: "avatar", "aria-hidden": "true" }, [...name][0]?.toUpperCase()),
        h("p", {}, this.#text(P.talking, name)),
        chip(this.#text(P.end), () => this.#end()),
      );
    }
    this.#name = name;
    this.#drawMessages(line.messages, isResumed);
    if (wasTalking && !isTalking) {
      this.#note(this.#hasEnded ? this.#text(P.ended) : this.#text(P.left, name));
      this.#askRating();
      // Handed back with a message that nobody has answered.
      const last = line.messages.at(-1);
      if (!this.#hasEnded && last?.author === "visitor" && !last.picture) this.#actions.askAgain(last);
    }
    if (line.state !== before.state || line.isOverdue !== before.isOverdue) this.#drawWaiting(line, isResumed);
    this.#typing.hidden = !line.isTyping;
    if (line.isTyping && !before.isTyping) this.#announce(this.#text(P.types, name));
    if (line.unsent !== before.unsent) this.#drawUnsent(line.unsent);
    if (!line.unsent.length) this.#unsent.remove();
    else if (this.#turns.lastChild !== this.#unsent) this.#turns.append(this.#unsent);
    this.#panel.dataset.person = line.state;
    this.#offerFresh();
    this.#presence.hidden = !isTalking;
    const asksFor = isTalking ? this.#text(P.writeTo, name) : this.#desk.words[W.placeholder];
    if (this.#input.placeholder !== asksFor) {
      this.#input.placeholder = asksFor;
      this.#input.ariaLabel = asksFor;
    }
    if (isNear || line.unsent.length > before.unsent.length || (line.state !== before.state && !isResumed)) {
      this.#log.scrollTop = this.#log.scrollHeight;
    }
    // What had focus is out of sight.
    if (focused && !focused.getClientRects().length) this.#desk.focus();
  }

  close(): void {
    this.draw(noLine, true);
    this.#watch.disconnect();
    this.#input.removeEventListener("input", this.#typed);
    for (const one of [...this.#said.values(), this.#unsent, this.#typing, this.#waiting, this.#presence, this.#announcer]) one.remove();
    this.#said.clear();
  }

  #text(place: P, name = ""): string {
    return textOf(this.#desk.words, place, name);
  }

  /** Each so often while one writes: what is written stays here until it is sent. */
  readonly #typed = (): void => {
    if (this.#before.state !== "talking" || !this.#input.value || Date.now() - this.#typedAt < TYPING_MS) return;
    this.#typedAt = Date.now();
    this.#actions.type();
  };

  #end(): void {
    this.#hasEnded = true;
    this.#actions.end();
  }

  #drawMessages(messages: readonly PersonMessage[], isResumed: boolean): void {
    let unread = 0;
    messages.forEach((message, place) => {
      const { created_at: at, author, text } = message;
      if (this.#drawn(message)) return;
      const later = (turn: HTMLElement): boolean => !(Date.parse(turn.dataset.at ?? "") <= Date.parse(at));
      const turns = isResumed ? [...this.#turns.querySelectorAll<HTMLElement>("article")] : [];
      const following = messages.slice(place + 1).find((each) => this.#drawn(each));
      const next = (following && this.#drawn(following)) ?? turns.find(later) ?? (this.#unsent.isConnected ? this.#unsent : null);
      this.#put(keyOf(message), author === "visitor" ? this.#own(this.#shown(message)) : this.#reply(message, next), next);
      if (author === "visitor" || isResumed) return;
      this.#announce(`${message.name ?? this.#name}: ${message.picture ? this.#text(P.picture) : text}`);
      unread++;
    });
    if (unread && this.#panel.hidden) this.#desk.mark(unread);
  }

  /** The panel offers another conversation only after a turn; what was said to a person is a reason, too. */
  #offerFresh(): void {
    if (this.#said.size) this.#fresh.hidden = false;
  }

  #drawn(message: PersonMessage): HTMLElement | undefined {
    return this.#said.get(keyOf(message));
  }

  #put(key: string, element: HTMLElement, next: Element | null): void {
    this.#said.set(key, element);
    this.#turns.insertBefore(element, next);
  }

  /** What a message says: its picture, or its text, in which addresses are links. */
  #shown({ number, picture, author, text }: PersonMessage): Node {
    const label = this.#text(P.picture);
    if (picture) return shownPicture(picture, label, this.#actions.picture(number), h("p", {}, label));
    return h("p", { dir: "auto" }, ...(author === "visitor" ? [text] : linked(text)));
  }

  #own(said: Node): HTMLElement {
    const bubble = h("div", { class: "question" }, said);
    return h("div", { class: "said own" }, h("span", { class: "sr" }, this.#text(P.wrote) + ": "), bubble);
  }

  #reply(message: PersonMessage, next: Element | null): HTMLElement {
    const { name, created_at: at } = message;
    const from = name ?? this.#text(P.team);
    const above = next ? next.previousElementSibling : this.#turns.lastElementChild;
    const isSame = (above as HTMLElement | null)?.dataset.from === from;
    const time = new Intl.DateTimeFormat(this.#desk.speech.language, { timeStyle: "short" }).format(new Date(at));
    return h(
      "div",
      { class: "said reply", "data-from": from },
      h("p", { class: isSame ? "sr" : "by" }, h("bdi", {}, from), " · " + time),
      h("div", { class: "bubble" }, this.#shown(message)),
    );
  }

  /** A line about what happens, between what is said. */
  #note(text: string): void {
    this.#put(text + this.#said.size, h("p", { class: "happened" }, text), null);
    this.#announce(text);
  }

  /** Whether it helped; asked once, where what was said ends. */
  #askRating(): void {
    const { words, actions } = this.#desk;
    const place = h("div", { class: "ways rating" });
    const way = (rating: Rating): HTMLElement =>
      chip(words[rating === "up" ? W.up : W.down], () => {
        this.#actions.rate(rating).then(() => {
          const thanks = h("p", { class: "status", tabindex: "-1" }, words[W.thanks]);
          fill(place, thanks);
          thanks.focus();
        }, actions.notice);
      });
    fill(place, h("p", { class: "status" }, this.#text(P.rateChat)), way("up"), way("down"));
    this.#put("rating" + this.#said.size, place, null);
  }

  #drawWaiting({ state, isOverdue }: Line, isResumed: boolean): void {
    const isWaiting = state === "waiting";
    this.#waiting.hidden = !isWaiting;
    if (!isWaiting) return;
    const text = this.#text(isOverdue ? P.overdue : P.waiting);
    if (isOverdue && !this.#contact.firstChild) this.#actions.offer(this.#contact);
    fill(
      this.#waiting,
      h("p", { class: "status" }, h("span", { class: "dots calm", "aria-hidden": "true" }, h("i"), h("i"), h("i")), text),
      h("p", { class: "meanwhile" }, this.#text(P.meanwhile)),
      h("div", { class: "ways" }, isOverdue && this.#contact, chip(this.#text(P.cancel), () => this.#end())),
    );
    if (!isResumed) this.#announce(text);
  }

  #drawUnsent(unsent: readonly Unsent[]): void {
    fill(
      this.#unsent,
      ...unsent.map((message) => {
        const element = this.#own(h("p", { dir: "auto" }, message.picture ? this.#text(P.picture) : message.text!));
        element.classList.add("pending");
        element.append(
          h(
            "p",
            { class: "by", role: "status" },
            this.#text(message.isRefused ? P.unsent : P.sending),
            message.isRefused && !message.picture && chip(this.#desk.words[W.retry], () => this.#actions.askAgain(message)),
          ),
        );
        return element;
      }),
    );
  }

  #announce(text: string): void {
    // Each line is spoken when it is added; the oldest make room.
    this.#announcer.append(h("p", {}, text));
    if (this.#announcer.childElementCount > 9) this.#announcer.firstChild?.remove();
  }
}

/** Numbers begin anew in another conversation. */
function keyOf({ number, created_at }: PersonMessage): string {
  return number + created_at;
}

/** Plain text in which what reads like an address of the web is a link. */
function linked(text: string): (Node | string)[] {
  return text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,:;!?)\]])/).map((part, at) => {
    const url = at % 2 && safeLink(part);
    return url ? outward(url, { class: "link" }, part) : part;
  });
}
