import { PAST } from "docent:parts";
import type { Agent } from "./contract.js";
import { chip, fill, h, icon, iconButton, picture } from "./element.js";
import { ICONS } from "./icons.js";
import type { Launcher } from "./launcher.js";
import { pictureUrl, type Options } from "./options.js";
import type { PanelFrame } from "./panel_frame.js";
import type { Shell } from "./shell.js";
import type { Speech } from "./speech.js";
import type { Stay } from "./store.js";
import type { OpenPast, PastActions, PastView } from "./past_view.js";
import { isRunning, type State, type Turn } from "./state.js";
import { dots, trouble } from "./trouble.js";
import { questions, TurnView, type TurnActions } from "./turn_view.js";
import { failureText, isHopeless, stageText, W, type Words } from "./words.js";

export interface PanelActions extends TurnActions, PastActions {
  stop(): void;
  /** Shows what was said before the first turn. */
  older(): Promise<boolean>;
  connect(): void;
  notice(error: unknown): void;
}

/** Of the log's padding, above a question that was just asked. */
const PINNED_PX = 8;
/** This near to the first turn, those before it are fetched. */
const NEAR_START_PX = 120;
/** Of what an earlier page had, as much is drawn at once. */
const SLICE_MS = 1;
/** Less than this is no reason for a button. */
const NEAR_END_PX = 12;

function belowOf({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}

/** What is read stays where it is, however its lines break afterwards. */
function keepPlace(log: HTMLElement, change: () => void): void {
  const topOf = (each: Element): number => each.getBoundingClientRect().top;
  const read = [...log.querySelectorAll("p,li,td,pre")].find((each) => each.getBoundingClientRect().bottom > topOf(log)) ?? log;
  const before = topOf(read) - topOf(log);
  change();
  log.scrollTop += topOf(read) - topOf(log) - before;
}

/** Draws a state into the panel's frame. */
export class PanelView {
  readonly root: HTMLElement;
  readonly speech: Speech;
  readonly emit: Shell["emit"];
  readonly #frame: PanelFrame;
  readonly #options: Options;
  readonly #turns = new Map<string, TurnView>();
  readonly #intro = h("div");
  readonly #list = h("div", { class: "turns" });
  readonly #launcher: Launcher;
  readonly #earlier = h("div");
  readonly #pastButton: HTMLElement;
  #past: PastView | undefined;
  readonly #fresh: HTMLElement;
  readonly #person: HTMLElement;
  #changing: ReturnType<typeof setTimeout> | undefined;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #pinnedAt = 0;
  #drawn: State | null = null;
  #announced = "";

  constructor(
    readonly words: Words,
    { options, speech, launcher, frame, load, emit }: Shell,
    readonly actions: PanelActions,
  ) {
    this.speech = speech;
    this.#options = options;
    this.root = launcher.root;
    this.emit = emit;
    this.#launcher = launcher;
    this.#frame = frame;
    const { log } = frame;
    const togglePast = (open: OpenPast): void =>
      (this.#past ??= open(words, speech.language, log, this.#pastButton, actions)).toggle();
    const listPast = (): void => void load<OpenPast>(PAST).then(togglePast).catch((error: unknown) => actions.notice(error));
    this.#pastButton = iconButton(words[W.past], ICONS.past, listPast, { hidden: true, "aria-expanded": "false" });
    const fresh = (): void => {
      this.#past?.close();
      void actions.fresh();
    };
    this.#fresh = iconButton(words[W.fresh], ICONS.plus, fresh, { class: "icon fresh" });
    this.#person = h("button", { class: "link", hidden: true, click: () => void actions.withPeople((people) => people.call()) }, words[W.person]);
    frame.wide.before(this.#pastButton, this.#fresh);
    fill(log, this.#intro, this.#earlier, this.#list);
    const jump = iconButton(words[W.jump], ICONS.end, () => (log.scrollTop = log.scrollHeight));
    log.after(h("div", { class: "jump" }, jump));
    const offerJump = (): void => {
      const isMore = belowOf(log) > NEAR_END_PX;
      if (!isMore && jump.matches(":focus")) log.focus({ preventScroll: true });
      jump.hidden = !isMore;
    };
    log.onscroll = () => {
      offerJump();
      if (!this.#drawing && log.scrollTop < NEAR_START_PX && this.#drawn?.hasEarlier) void actions.older();
    };
    // Once it is laid out anyhow, and for what comes later than its answer as well.
    const sized = new ResizeObserver(offerJump);
    for (const each of [log, this.#list]) sized.observe(each);
    log.onclick = ({ target }) => {
      const link = (target as Element).closest("a");
      // The panel is open on the page that it leads to as well.
      if (link?.host === location.host && options.links === "same") link.target = "";
    };
    frame.panel.append(h("p", { class: "note" }, this.#person));
    frame.submit = (isPressed) => this.#submit(isPressed);
    frame.change = (act) => keepPlace(log, act);
  }

  focus(): void {
    this.#frame.focus();
  }

  /** The turn at the top and how many pixels of it are above; undefined where the end is in view. */
  get place(): Stay["place"] {
    const { log } = this.#frame;
    if (belowOf(log) < NEAR_END_PX) return undefined;
    for (const { id } of this.#drawn?.turns ?? []) {
      const { offsetTop, offsetHeight } = this.#turns.get(id)!.root;
      if (log.scrollTop < offsetTop + offsetHeight) return [id, log.scrollTop - offsetTop];
    }
    return undefined;
  }

  goTo([id, px]: NonNullable<Stay["place"]>): void {
    const view = this.#turns.get(id);
    if (!view) return;
    this.#drawAnswers(0, id);
    this.#frame.log.scrollTop = view.root.offsetTop + px;
  }

  /** Tells on the launcher of so many more things that came while the panel was closed; of none, once it is open. */
  mark(more = 0): void {
    const { button } = this.#launcher;
    const count = more && more + Number(button.dataset.unread ?? 0);
    const label = button.ariaLabel!.replace(/ \(\d+\)$/, "");
    button.ariaLabel = label + (count ? ` (${count})` : "");
    if (count) button.dataset.unread = "" + count;
    else delete button.dataset.unread;
    this.emit("unread", { count });
  }

  get isMarked(): boolean {
    return "unread" in this.#launcher.button.dataset;
  }

  draw(state: State): void {
    const before = this.#drawn;
    if (before === state) return;
    if (state.isOpen && this.isMarked) this.mark();
    this.#drawn = state;
    const shadow = this.root.getRootNode() as ShadowRoot;
    const focused = shadow.activeElement;
    const focusKey = (focused as HTMLElement | null)?.dataset.focus;
    const place = focused?.closest("article");
    if (before?.agent !== state.agent || before?.connection !== state.connection) {
      // A question that was asked before the greeting came stays where it is read.
      this.#drawAbove(() => this.#drawHead(state, before));
    }
    this.#drawTurns(state, before);
    const running = isRunning(state.turns.at(-1));
    const { send, input, notice } = this.#frame;
    this.#fresh.hidden = !state.turns.length;
    this.#pastButton.hidden = !state.hasPast || state.connection !== "ready";
    if (send.dataset.running !== "" + running) {
      send.dataset.running = "" + running;
      send.ariaLabel = send.title = this.words[running ? W.stop : W.send];
      fill(send, icon(running ? ICONS.stop : ICONS.send));
    }
    send.disabled = !running && !input.value.trim();
    const warning = (state.isOnline ? state.notice && failureText(this.words, state.notice) : this.words[W.offline]) || "";
    if (notice.textContent !== warning) notice.textContent = warning;
    this.#announce(state);
    if (state.isOpen && focused && !shadow.activeElement) {
      // What had focus was drawn anew or is gone.
      const again = focusKey && place?.isConnected && place.querySelector<HTMLElement>(`[data-focus=${focusKey}]`);
      if (again) again.focus({ preventScroll: true });
      else this.focus();
    }
  }

  #submit(isPressed: boolean): void {
    if (isRunning(this.#drawn?.turns.at(-1))) {
      if (isPressed) this.actions.stop();
      return;
    }
    const { input } = this.#frame;
    const text = input.value.trim();
    if (!text) return;
    input.value = "";
    this.#frame.typed();
    this.actions.ask(text);
    input.focus();
  }

  #drawHead(state: State, before: State | null): void {
    const { name, avatar, panel, log, disclosure } = this.#frame;
    const intro = this.#intro;
    disclosure.textContent = state.agent?.disclosure?.text || this.words[W.note];
    this.#offerPerson(state.agent);
    const title = state.agent?.name ?? "";
    name.textContent = title;
    const letter = [...title][0]?.toUpperCase();
    const { picture: drawn, picture_alt: alt } = state.agent?.theme ?? {};
    if (drawn && alt) {
      avatar.removeAttribute("aria-hidden");
      avatar.setAttribute("role", "img");
      avatar.ariaLabel = alt;
    }
    // Not once more what is there.
    if (state.agent !== before?.agent) fill(avatar, drawn ? picture(pictureUrl(this.#options, drawn), letter) : letter);
    panel.ariaLabel = log.ariaLabel = title || this.speech.chat;
    if (state.connection === "ready" && state.agent) {
      const { is_paused: isPaused, starter_prompts: starters, theme } = state.agent;
      const greeting = h("p", { class: "greeting", dir: "auto" }, isPaused ? this.words[W.paused] : theme?.greeting || this.words[W.greeting]);
      const ways = h("div");
      fill(intro, greeting, questions("starters", this.words[W.examples], starters, this.actions), ways);
      if (isPaused) void this.actions.withPeople((people) => people.offer(ways, { question: "", isUnsure: true } as Turn));
    } else if (state.connection === "failed") {
      const code = state.refusal;
      const hopeless = isHopeless(code);
      const text = hopeless ? this.words[W.refused] : failureText(this.words, code);
      fill(intro, trouble(text, this.words[W.retry], !hopeless && ((): void => this.actions.connect())));
    } else {
      fill(intro, dots());
    }
  }

  /** As the server has said, and from the next opening or closing otherwise. */
  #offerPerson({ live_chat: isOffered, people_from: from, people_until: until }: Partial<Agent> = {}): void {
    clearTimeout(this.#changing);
    this.#person.hidden = !isOffered;
    const ms = Date.parse((isOffered ? until : from) ?? "") - Date.now();
    if (ms > 0) this.#changing = setTimeout(() => (this.#person.hidden = !!isOffered), Math.min(ms, 2 ** 31 - 1));
  }

  #drawTurns(state: State, before: State | null): void {
    if (before?.turns === state.turns && before.isOpen === state.isOpen) return;
    const { log } = this.#frame;
    // Whoever has gone down to the end of an answer goes with it; nobody else is moved while they read.
    const follows = this.#turns.size && log.scrollTop > this.#pinnedAt + 2 && belowOf(log) < 2;
    const kept = new Set(state.turns.map((turn) => turn.id));
    for (const [id, view] of this.#turns) {
      if (kept.has(id)) continue;
      view.root.remove();
      this.#turns.delete(id);
    }
    const first = before?.turns[0]?.id;
    const last = state.turns.at(-1);
    const isNow = isRunning(last);
    this.#drawAbove(() => {
      if (before?.hasEarlier !== state.hasEarlier) {
        fill(this.#earlier, state.hasEarlier && h("p", { class: "earlier" }, chip(this.words[W.earlier], () => void this.actions.older())));
      }
      // From the last, so that each is put before the next one, whatever else stands between them.
      let after: Element | null = null;
      for (const turn of state.turns.toReversed()) {
        let view = this.#turns.get(turn.id);
        if (!view) {
          view = new TurnView(turn, this.words, this.actions);
          this.#turns.set(turn.id, view);
          this.#list.insertBefore(view.root, after);
        }
        after = view.root;
      }
      this.#intro.classList.toggle("talking", !!last);
      // What an earlier page had begins with the next task: the panel is laid out in this one.
      this.#drawAnswers(first || isNow ? undefined : 0);
    }, first !== state.turns[0]?.id && kept.has(first!));
    const view = last && this.#turns.get(last.id);
    if (view && last.id !== before?.turns.at(-1)?.id) {
      this.#past?.close();
      // A question goes to the top, and its answer grows below it; what was said before this page is read from its end.
      view.root.classList.toggle("now", isNow);
      log.scrollTop = isNow ? view.root.offsetTop - PINNED_PX : log.scrollHeight;
      this.#pinnedAt = log.scrollTop;
    } else if (follows) log.scrollTop = log.scrollHeight;
  }

  /** What is put above leaves in its place what is read. Measuring lays the panel out, so only where something is. */
  #drawAbove(draw: () => void, isRead: unknown = this.#turns.size): void {
    if (!isRead) return draw();
    const { log } = this.#frame;
    const { scrollTop, scrollHeight } = log;
    draw();
    const grown = log.scrollHeight - scrollHeight;
    log.scrollTop = scrollTop + grown;
    this.#pinnedAt += grown;
  }

  /** From the last and at least to that turn, in tasks that leave the browser time, above what is read; nothing is seen before it fills the log. */
  #drawAnswers(end = performance.now() + SLICE_MS, until?: string): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    const { turns, agent } = this.#drawn!;
    const { log } = this.#frame;
    let isFree = !until;
    let isBlank = false;
    for (const turn of turns.toReversed()) {
      const view = this.#turns.get(turn.id)!;
      if (view.draw(turn, agent?.fallback || agent?.live_chat, isFree && performance.now() > end)) {
        this.#drawing = setTimeout(() => this.#drawAbove(() => this.#drawAnswers()));
        isBlank = log.scrollHeight - view.root.offsetTop < log.clientHeight;
        break;
      }
      isFree ||= turn.id === until;
    }
    log.classList.toggle("away", isBlank);
  }

  /** Speaks the stages and the whole answer, never a token. */
  #announce(state: State): void {
    const turn: Turn | undefined = state.turns.at(-1);
    const view = turn && this.#turns.get(turn.id);
    if (!turn || !view || !state.isOpen) return;
    const isAwaited = this.#announced === turn.id;
    if (isRunning(turn)) {
      this.#announced = turn.id;
      this.#say(turn.isReconnecting ? this.words[W.reconnecting] : stageText(this.words, turn.answer ? "writing" : turn.stage));
    } else if (turn.status === "failed") {
      this.#say(failureText(this.words, turn.error));
    } else if (isAwaited) {
      // History is there to be read, not to be read out.
      this.#say(view.spoken);
    }
  }

  #say(text: string): void {
    const { announcer } = this.#launcher;
    if (announcer.textContent !== text) announcer.textContent = text;
  }
}
