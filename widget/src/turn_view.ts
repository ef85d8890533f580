import type { Citation, Rating } from "./contract.js";
import type { People } from "./desk.js";
import { chip, fill, h, icon, iconButton, ICONS } from "./element.js";
import { parseMarkdown } from "./markdown.js";
import { drawNode, outward } from "./markdown_view.js";
import { safeLink } from "./safe_link.js";
import { isRunning, type Turn } from "./state.js";
import { failureText, stageText, W, type Words } from "./words.js";

export interface TurnActions {
  retry(turnId: string): void;
  /** With a comment, which may be empty, once the visitor was asked for one. */
  rate(turnId: string, rating: Rating, comment?: string): Promise<void>;
  copy(turn: Turn): Promise<void>;
  withPeople(act: (people: People) => void): Promise<void>;
  cited(turn: Turn, citation: Citation): void;
}

export function dots(): HTMLElement {
  return h("span", { class: "dots" }, h("i"), h("i"), h("i"));
}

/** What went wrong, and a way to try again where that can help. */
export function trouble(text: string, retry: string, act?: (() => void) | false): HTMLElement {
  return h("div", { class: "error" }, h("p", {}, text), act && chip(retry, act, ICONS.fresh));
}

/** Draws one turn, and on each change only what changed: whatever a visitor has selected stays selected. */
export class TurnView {
  readonly element: HTMLElement;
  readonly #text = h("div", { class: "text", dir: "auto" });
  readonly #above = h("div");
  readonly #below = h("div", { class: "below" });
  readonly #answer = h("div", { class: "answer" }, this.#above, this.#text, this.#below);
  #drawn: Turn | null = null;
  #sources: string[] = [];
  /** Ways to people: drawn once, so that what was typed there stays when the answer is drawn anew. */
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
      fill(this.#above, turn.isUnsure && h("p", { class: "doubt" }, icon(ICONS.unsure), this.words[W.unsure]));
      if (turn.isUnsure && hasPeople) void this.actions.withPeople((people) => people.offer(this.#people, turn.question));
    }
    if (turn.rating === "down" && before?.rating !== "down") {
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
        turn.isUnsure && this.#people,
        this.#drawSources(turn),
        turn.answer && this.#drawActions(turn),
        turn.rating === "down" && !turn.isCommented && this.#why,
        turn.rating && (turn.rating === "up" || turn.isCommented) && h("p", { class: "status" }, words[W.thanks]),
      );
    }
  }

  /** A page once, with all the numbers that it stands for. */
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
      return h(
        "li",
        {},
        outward(
          url,
          { class: "source", title: one.quote, click: url && ((): void => this.actions.cited(turn, one)) },
          number,
          h("span", { class: "title", dir: "auto" }, one.title || page),
          h("span", { class: "place" }, url?.host !== location.host && url?.host),
          h("span", { class: "place" }, one.as_of && this.words[W.asOf] + " " + this.#date(one.as_of)),
        ),
      );
    });
    return items.length ? h("ol", { class: "sources", "aria-label": this.words[W.sources] }, ...items) : null;
  }

  #date(iso: string): string {
    const date = new Date(iso.length > 10 ? iso : iso + "T00:00:00");
    return isNaN(+date) ? iso : new Intl.DateTimeFormat(this.locale, { dateStyle: "medium" }).format(date);
  }

  #drawActions(turn: Turn): HTMLElement {
    const { words, actions } = this;
    const thumb = (rating: Rating): HTMLElement =>
      iconButton(words[rating === "up" ? W.up : W.down], ICONS[rating], () => void actions.rate(turn.id, rating), {
        "aria-pressed": String(turn.rating === rating),
        "data-focus": rating,
      });
    const copy = iconButton(words[W.copy], ICONS.copy, () => {
      void actions.copy(turn).then(() => {
        fill(copy, icon(ICONS.check));
        copy.setAttribute("aria-label", words[W.copied]);
      });
    });
    // The clipboard is closed to pages without TLS.
    return h("div", { class: "actions" }, navigator.clipboard && copy, thumb("up"), thumb("down"));
  }
}
