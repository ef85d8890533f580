import type { Citation, Rating } from "./contract.js";
import type { People } from "./desk.js";
import { chip, fill, h, iconButton } from "./element.js";
import { ICONS } from "./icons.js";
import { parseMarkdown } from "./markdown.js";
import { copyButton, drawNode, outward } from "./markdown_view.js";
import { safeLink } from "./safe_link.js";
import { isRunning, type Turn } from "./state.js";
import { dots, trouble } from "./trouble.js";
import { failureText, stageText, W, type Words } from "./words.js";

export interface TurnActions {
  retry(turnId: string): void;
  /** With a comment, which may be empty, once the visitor was asked for one. */
  rate(turnId: string, rating: Rating, comment?: string): Promise<void>;
  copy(turn: Turn): Promise<void>;
  withPeople(act: (people: People) => void): Promise<void>;
  cited(turn: Turn, citation: Citation): void;
  /** Colours a block of code, as far as it is on the page by then. */
  paint(code: HTMLElement, language: string): void;
  ask(text: string): void;
  /** Moves focus to where a visitor writes. */
  focus(): void;
}

const SHOWN_SOURCES = 2;

/** Draws one turn, and on each change only what changed: whatever a visitor has selected stays selected. */
export class TurnView {
  readonly element: HTMLElement;
  readonly #text = h("div", { class: "text", dir: "auto" });
  readonly #above = h("div");
  readonly #below = h("div", { class: "below" });
  readonly #answer = h("div", { class: "answer" }, this.#above, this.#text, this.#below);
  #drawn: Turn | null = null;
  #sources: string[] = [];
  #isUnfolded = false;
  /** Ways to people, to the rest, or what is to be confirmed: drawn once, so that what was typed there stays when the answer is drawn anew. */
  readonly #people = h("div");
  readonly #why = h("div");

  constructor(
    turn: Turn,
    readonly words: Words,
    readonly locale: string,
    readonly actions: TurnActions,
  ) {
    const question =
      turn.question &&
      h("div", { class: "question", dir: "auto", part: "question" }, h("span", { class: "sr" }, words[W.you] + ": "), turn.question);
    this.element = h("article", { class: "turn", "data-at": turn.at }, question, this.#answer);
  }

  /** `hasPeople` when there are ways to people, to be offered where the site had no clear answer. */
  draw(turn: Turn, hasPeople: unknown): void {
    const before = this.#drawn;
    if (before === turn) return;
    this.#drawn = turn;
    const running = isRunning(turn);
    this.#answer.className = "answer" + (turn.isUnsure ? " unsure" : "") + (running && turn.answer ? " live" : "");
    this.#drawText(turn, running);
    if (before?.isUnsure !== turn.isUnsure) {
      // An answer that says that there is none has said it.
      fill(this.#above, turn.isUnsure && !turn.isNone && h("p", { class: "doubt" }, this.words[W.unsure]));
      if (turn.confirmation || turn.isCut || (turn.isUnsure && hasPeople)) void this.actions.withPeople((people) => people.offer(this.#people, turn));
    }
    // Not of a thumb that another page or tab has shown.
    if (before && turn.rating === "down" && before.rating !== "down" && !turn.isCommented) {
      void this.actions.withPeople((people) => people.askWhy(this.#why, (comment) => this.actions.rate(turn.id, "down", comment)));
    }
    this.#drawBelow(turn, running);
  }

  /** The answer as a screen reader should speak it, once it is whole. */
  get spoken(): string {
    return [this.#above.textContent, this.#text.textContent].filter(Boolean).join(" ");
  }

  #drawText(turn: Turn, live: boolean): void {
    const blocks = parseMarkdown(turn.answer, live);
    const context = {
      citations: turn.citations,
      live,
      words: this.words,
      paint: this.actions.paint.bind(this.actions),
      onCitation: (one: Citation) => this.actions.cited(turn, one),
    };
    blocks.forEach((block, at) => {
      // What has numbers in it changes with the sources, everything else with its own text only.
      const key = block.source + (block.source?.includes("[") ? `\0${live}${turn.citations.length}` : "");
      if (this.#sources[at] === key) return;
      this.#sources[at] = key;
      const drawn = drawNode(block, context);
      const old = this.#text.children[at];
      if (old) old.replaceWith(drawn);
      else this.#text.append(drawn);
    });
    this.#sources.length = blocks.length;
    [...this.#text.children].slice(blocks.length).forEach((rest) => rest.remove());
  }

  #drawBelow(turn: Turn, running: boolean): void {
    const { words } = this;
    if (running) {
      const text = turn.isReconnecting ? words[W.reconnecting] : turn.answer ? "" : stageText(words, turn.stage);
      if (this.#below.textContent !== text || !text) {
        fill(this.#below, text && h("p", { class: "status" }, dots(), text));
      }
    } else if (turn.status === "failed") {
      const retry = turn.retryable && ((): void => this.actions.retry(turn.id));
      fill(this.#below, trouble(failureText(words, turn.error), words[W.retry], retry));
    } else {
      fill(
        this.#below,
        turn.status === "stopped" && h("p", { class: "status" }, words[W.stopped]),
        this.#people,
        this.#drawSources(turn),
        turn.answer && this.#drawActions(turn),
        turn.rating === "down" && !turn.isCommented && this.#why,
        turn.rating && (turn.rating === "up" ? turn.isCommented != null : turn.isCommented) && h("p", { class: "status" }, words[W.thanks]),
        this.#drawFurther(turn),
      );
    }
  }

  /** A page once, with all the numbers that it stands for: the first two, and the others when they are asked for. */
  #drawSources(turn: Turn): HTMLElement | null {
    const pages = new Map<string, HTMLElement>();
    const items = turn.citations.flatMap((one) => {
      const url = safeLink(one.link || one.url);
      const page = one.url.split("#")[0]!;
      const known = pages.get(page);
      known?.append(", " + one.id);
      if (known) return [];
      const number = h("span", { class: "number" }, "" + one.id);
      pages.set(page, number);
      const host = url && url.host !== location.host && url.host;
      const day = one.as_of && this.words[W.asOf] + " " + this.#date(one.as_of);
      return h(
        "li",
        {},
        outward(
          url,
          {
            class: "source",
            title: one.quote,
            click: url && ((): void => this.actions.cited(turn, one)),
          },
          number,
          h("span", { class: "title", dir: "auto" }, one.title || page),
          h("span", { class: "place" }, [host, day].filter(Boolean).join(" · ")),
        ),
      );
    });
    if (!items.length) return null;
    const list = h("ol", { class: "sources", "aria-label": this.words[W.sources] }, ...items);
    const rest = items.length - SHOWN_SOURCES;
    if (rest <= 0 || this.#isUnfolded) return this.#unfold(list);
    const more = chip(this.words[W.more].replace("{}", "" + rest), () => {
      this.#isUnfolded = true;
      this.#unfold(list);
      more.parentElement?.remove();
      // Where the button was, what it has shown goes on.
      items[SHOWN_SOURCES]!.querySelector<HTMLElement>("a[href]")?.focus({ preventScroll: true });
    });
    more.setAttribute("aria-expanded", "false");
    list.append(h("li", { class: "rest" }, more));
    return list;
  }

  #unfold(list: HTMLElement): HTMLElement {
    list.classList.add("all");
    return list;
  }

  #date(iso: string): string {
    const date = new Date(iso.length > 10 ? iso : iso + "T00:00:00");
    return isNaN(+date) ? iso : new Intl.DateTimeFormat(this.locale, { dateStyle: "medium" }).format(date);
  }

  /** Below the latest answer only: panel.css. */
  #drawFurther({ further }: Turn): HTMLElement | null {
    if (!further?.length) return null;
    const label = this.words[W.further];
    const ask = (question: string): void => {
      this.actions.ask(question);
      this.actions.focus();
    };
    return h(
      "div",
      { class: "further", role: "group", "aria-label": label },
      h("p", { class: "status", "aria-hidden": "true" }, label),
      ...further.map((question) => chip(question, () => ask(question))),
    );
  }

  #drawActions(turn: Turn): HTMLElement {
    const { words, actions } = this;
    const thumb = (rating: Rating): HTMLElement =>
      iconButton(words[rating === "up" ? W.up : W.down], ICONS[rating], () => void actions.rate(turn.id, rating), {
        "aria-pressed": String(turn.rating === rating),
        "data-focus": rating,
      });
    const copy = copyButton(words[W.copy], words[W.copied], () => actions.copy(turn));
    return h("div", { class: "actions" }, copy, thumb("up"), thumb("down"));
  }
}
