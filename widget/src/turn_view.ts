import type { Citation, Rating } from "./contract.js";
import type { People } from "./desk.js";
import { chip, fill, h, iconButton } from "./element.js";
import { ICONS } from "./icons.js";
import { parseMarkdown } from "./markdown.js";
import { copyButton, drawCitation, drawNode, outward } from "./markdown_view.js";
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
  /** Says of each source where it is, and when it was read. */
  place(sources: [HTMLElement, Citation][]): void;
  /** Colours a block of code, as far as it is on the page by then. */
  paint(code: HTMLElement, language: string): void;
  ask(text: string): void;
  /** Moves focus to where a visitor writes. */
  focus(): void;
}

const SHOWN_SOURCES = 2;
const LONG_QUESTION = 300;

/** Draws one turn, and on each change only what changed: whatever a visitor has selected stays selected. */
export class TurnView {
  readonly root: HTMLElement;
  #text!: HTMLElement;
  #above!: HTMLElement;
  #below!: HTMLElement;
  #answer!: HTMLElement;
  /** Ways to people, to the rest, or what is to be confirmed: drawn once, so that what was typed there stays when the answer is drawn anew. */
  #people!: HTMLElement;
  #why!: HTMLElement;
  #drawn: Turn | null = null;
  #sources: (string | undefined)[] = [];
  /** How many sources there are; -1 while they are awaited. */
  #sourced = -1;
  #isUnfolded = false;

  constructor(
    { at }: Turn,
    readonly words: Words,
    readonly actions: TurnActions,
  ) {
    this.root = h("article", { class: "turn", "data-at": at });
  }

  /** `hasPeople` when there are ways to people, to be offered where the site had no clear answer. With `isLater`, what was never drawn
   * is not either; returns whether it is still to be. */
  draw(turn: Turn, hasPeople: unknown, isLater: boolean): boolean {
    const before = this.#drawn;
    if (before === turn) return false;
    if (!before) {
      if (isLater) return true;
      this.#build(turn.question);
    }
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
    return false;
  }

  /** Many turns of an earlier page are there long before they are drawn. */
  #build(question: string): void {
    this.#people = h("div");
    this.#why = h("div");
    this.#answer = h(
      "div",
      {},
      (this.#above = h("div")),
      (this.#text = h("div", { class: "text" })),
      (this.#below = h("div", { class: "below" })),
    );
    // A long one scrolls by itself, with the keyboard too, so that its answer is in view.
    const asked = question && h("div", { class: "question", part: "question", tabindex: question.length > LONG_QUESTION && 0 }, h("span", { class: "sr" }, this.words[W.you] + ": "), h("div", { dir: "auto" }, question));
    fill(this.root, asked, this.#answer);
  }

  /** The answer as a screen reader should speak it, once it is whole; "" before it is drawn. */
  get spoken(): string {
    return this.#drawn ? [this.#above.textContent, this.#text.textContent].filter(Boolean).join(" ") : "";
  }

  #drawText(turn: Turn, live: boolean): void {
    const blocks = parseMarkdown(turn.answer, live);
    const { citations } = turn;
    const sourced = citations.length || (live ? -1 : 0);
    const isNew = sourced !== this.#sourced;
    // Of an answer that was stopped they may come late.
    if (isNew && !this.#sourced) this.#sources = [];
    this.#sourced = sourced;
    const context = {
      citations,
      live: sourced < 0,
      words: this.words,
      paint: this.actions.paint.bind(this.actions),
      onCitation: (one: Citation) => this.actions.cited(turn, one),
    };
    blocks.forEach((block, at) => {
      const old = this.#text.children[at];
      if (this.#sources[at] === block.source) {
        // The numbers become links once the sources are here; all else changes with its own text only.
        if (isNew) old!.querySelectorAll<HTMLAnchorElement>(".cite").forEach((cite) => drawCitation(cite.textContent!, context, cite));
        return;
      }
      this.#sources[at] = block.source;
      const drawn = drawNode(block, context);
      // An English quotation in an Arabic answer is read from the left.
      drawn.dir = "auto";
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
      fill(this.#below, trouble(failureText(words, turn.error), words[W.retry], retry), this.#people);
    } else {
      fill(
        this.#below,
        turn.status === "stopped" && h("p", { class: "status" }, words[W.stopped]),
        this.#people,
        this.#drawSources(turn),
        turn.answer && !turn.isTalk && this.#drawActions(turn),
        turn.rating === "down" && !turn.isCommented && this.#why,
        turn.rating && (turn.rating === "up" ? turn.isCommented != null : turn.isCommented) && h("p", { class: "status" }, words[W.thanks]),
        questions("further", turn.isTalk ? "" : this.words[W.further], turn.further, this.actions), // one asked back needs no title
      );
    }
  }

  /** A page once, with all the numbers that it stands for: two in one line, and the others, with where and when, when they are asked for. */
  #drawSources(turn: Turn): HTMLElement | null {
    const { words } = this;
    const pages = new Map<string, HTMLElement>();
    const sources: [HTMLElement, Citation][] = [];
    const items = turn.citations.flatMap((one) => {
      const url = safeLink(one.link || one.url);
      const page = one.url.split("#")[0]!;
      const title = one.title || page;
      const known = pages.get(page);
      if (known) {
        known.append(", " + one.id);
        // Two sections of a page have its title in common alone.
        known.nextSibling!.textContent = title.split(" › ")[0]!;
        sources.push([known.parentElement!, one]);
        return [];
      }
      const number = h("span", { class: "number" }, "" + one.id);
      pages.set(page, number);
      const source = outward(
        url,
        {
          class: "source",
          title: one.quote,
          click: url && ((): void => this.actions.cited(turn, one)),
        },
        number,
        h("span", { class: "title", dir: "auto" }, title),
      );
      sources.push([source, one]);
      return [h("li", {}, source)];
    });
    if (!items.length) return null;
    const list = h("ol", { class: "sources", "aria-label": words[W.sources] }, ...items);
    const rest = items.length - SHOWN_SOURCES;
    const unfold = (): void => {
      this.#isUnfolded = true;
      list.className += " all";
      this.actions.place(sources);
    };
    if (this.#isUnfolded) unfold();
    else {
      const act = (): void => {
        unfold();
        more.remove();
        // Where the button was, what it has shown goes on.
        items[rest > 0 ? SHOWN_SOURCES : 0]!.querySelector<HTMLElement>("a[href]")?.focus({ preventScroll: true });
      };
      const button = rest > 0 ? chip(words[W.more].replace("{}", "" + rest), act) : iconButton(words[W.sources], ICONS.more, act, { class: "chip" });
      button.setAttribute("aria-expanded", "false");
      const more = h("li", { class: "rest" }, button);
      list.append(more);
    }
    return list;
  }

  #drawActions(turn: Turn): HTMLElement {
    const { words, actions } = this;
    const thumb = (rating: Rating): HTMLElement =>
      iconButton(words[rating === "up" ? W.up : W.down], ICONS[rating], () => void actions.rate(turn.id, rating), {
        "aria-pressed": "" + (turn.rating === rating),
        "data-focus": rating,
      });
    const copy = copyButton(words[W.copy], words[W.copied], () => actions.copy(turn));
    // What says that it does not know has solved nothing.
    const asks = !turn.isUnsure && h("p", { class: "status solved" }, words[W.solved]);
    return h("div", { class: "actions" }, copy, asks, thumb("up"), thumb("down"));
  }
}

/** What may be asked with one tap, below a title. */
export function questions(name: string, title: string, asked: readonly string[] | null | undefined, actions: TurnActions): HTMLElement | null {
  if (!asked?.length) return null;
  const chips = asked.map((question) =>
    chip(question, () => {
      actions.ask(question);
      actions.focus();
    }),
  );
  return h(
    "div",
    { class: name, role: "group", "aria-label": title },
    title && h("p", { class: "status", "aria-hidden": "true" }, title),
    ...chips,
  );
}
