import { PAGE } from "docent:parts";
import type { Client, ClientEvent } from "./client.js";
import type { Citation, Question, Rating } from "./contract.js";
import type { People } from "./desk.js";
import type { Failure } from "./failure.js";
import { atNextFrame } from "./frames.js";
import type { AroundWidget } from "./page.js";
import { pageClient } from "./page_client.js";
import { newQuestion, readPage } from "./page_question.js";
import css from "./panel.css";
import { PanelView, type PanelActions } from "./panel_view.js";
import { messagesBefore } from "./history.js";
import { peopleFile } from "./people_file.js";
import type { Panel, Shell } from "./shell.js";
import { initialState, isRunning, next, turnOf, withSources, type Happening, type State, type Turn } from "./state.js";
import { stayOf } from "./stay.js";
import type { Stay } from "./store.js";
import { askTabs, joinTabs, type Told } from "./tabs.js";
import { ENGLISH, isHopeless, type Words } from "./words.js";

/** After a stop the sources may still come; longer than this we do not listen. */
const STOP_GRACE_MS = 2000;

/** What is in the panel: turns what a visitor does there into calls, and what comes back into states to draw. */
export class Conversation implements Panel, PanelActions {
  readonly #shell: Shell;
  readonly client: Client;
  readonly #view: PanelView;
  readonly #asked = new Map<string, Question>();
  readonly #running = new Map<string, AbortController>();
  #state: State = initialState;
  #isDrawDue = false;
  #people: People | undefined;
  readonly #tell: (told: Told) => void;
  /** Turns of other tabs that this one is to show once somebody looks at it. */
  readonly #missed: Told[] = [];
  /** Where the visitor was on the page before, until that is in view again. */
  #before: Stay;
  #isGoingBack = false;

  constructor(shell: Shell) {
    this.#shell = shell;
    const { options, tab, signal } = shell;
    this.#before = tab.read();
    this.client = pageClient(shell);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    const shadow = shell.launcher.root.getRootNode() as ShadowRoot;
    shadow.adoptedStyleSheets.push(sheet);
    this.#view = new PanelView({ ...ENGLISH, ...(shell.words as Words) }, shell, this);
    this.#tell = joinTabs(options.agentId, (told) => this.#hear(told), signal);
    this.#attend();
    signal.addEventListener("abort", () => this.#abortAll());
  }

  opened(): void {
    // Not what the website has opened. Drawn with the next frame, which lays it out anyhow.
    if (!this.#shell.frame.panel.hasAttribute("data-still")) this.#keepOpen(true);
    this.#change({ isOpen: true });
    // In a task of its own; what reads the page is here by the time of the first question, too.
    setTimeout(() => {
      if (/none|failed/.test(this.#state.connection)) this.connect();
      this.#withPage((page) => page.attend(this.#shell));
    });
  }

  #withPage(act: (page: AroundWidget) => unknown): void {
    this.#shell.load<AroundWidget>(PAGE).then(act).catch(() => undefined);
  }

  place(sources: [HTMLElement, Citation][]): void {
    this.#withPage((page) => page.place(sources, this.#view));
  }

  paint(code: HTMLElement, language: string): void {
    this.#withPage((page) => page.paint(this.#shell, code, language));
  }

  closed(): void {
    this.#keepOpen(false);
    this.#change({ isOpen: false });
    this.#draw();
  }

  #keepOpen(open: boolean): void {
    this.#shell.tab.keep({ open });
    this.#shell.store.keep({ open });
  }

  expect(): void {
    const { tab, store, open, options } = this.#shell;
    const { open: wasOpen, awaits } = tab.read();
    // Closed again before this file was here, or left on a page from which it would hide this one.
    if (wasOpen) this.#keepOpen(false);
    if (awaits) {
      // What is still being written marks the launcher when it ends.
      this.#connect().then(() => this.#lastTurn && !isRunning(this.#lastTurn) && this.#view.mark(1), () => undefined);
    } else if (!wasOpen) {
      // Where nobody answers, what was open is closed by now.
      store.keep({ open: undefined });
      askTabs(options.agentId, (stay) => {
        store.keep({ open: true });
        tab.keep(stay);
        this.#before = stay;
        open();
      });
    }
  }

  ask(text: string): void {
    const message = text.trim().slice(0, 4000);
    if (!message || isRunning(this.#lastTurn)) return;
    this.#shell.open();
    if (this.#people?.say(message)) return;
    const question = this.#newQuestion(message);
    this.#dispatch({ type: "asked", id: question.turn_id, question: message });
    // At once, so that a second press of Enter meets a running turn.
    this.#draw();
    this.#shell.emit("message", { turn_id: question.turn_id, message });
    void this.#run(question);
  }

  focus(): void {
    this.#shell.frame.focus();
  }

  renew(): void {
    const { conversation } = this.client;
    if (conversation === undefined) this.client.forget();
    else this.client.goTo(conversation);
  }

  prove(): void {
    this.renew();
    if (/ready|failed/.test(this.#state.connection)) this.connect();
  }

  forget(): void {
    this.#abortAll();
    this.client.forget();
    this.#dispatch({ type: "cleared" });
    this.#change({ connection: "none" });
    if (this.#state.isOpen) this.connect();
  }

  /** Hears of the network and of the page's sleep. */
  #attend(): void {
    const { signal } = this.#shell;
    const online = (): void => {
      this.#change({ isOnline: navigator.onLine, notice: "" });
      if (navigator.onLine) this.client.wake();
    };
    online();
    for (const name of ["online", "offline"]) addEventListener(name, online, { signal });
    addEventListener("pagehide", () => this.#rest(), { signal });
    document.addEventListener("visibilitychange", () => void this.#catchUp(), { signal });
    addEventListener("pageshow", () => this.client.wake(), { signal });
  }

  /** Connects; that it failed is in the state, and drawn. */
  connect(): void {
    void this.#connect().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    // What is connected already stays as it is drawn.
    const isNew = this.#state.connection !== "ready";
    if (isNew) this.#change({ connection: "connecting" });
    const { store, user } = this.#shell;
    if (store.read().anonymous_id || user()) this.#change({ hasPast: true });
    try {
      const session = await this.client.open();
      this.#dispatch({ type: "connected", session });
      store.keep({ theme: session.agent.theme });
      this.#shell.wear(session.agent.theme);
      this.#shell.settle();
      void this.#comeBack();
      if (isNew && session.agent.live_chat) {
        // A chat that an earlier page had goes on; one that could not be heard of is looked for again.
        const isThere = this.client.call("GET", "/person").then((answer) => answer.json());
        isThere.then(({ state }) => state !== "none", () => true).then((is) => void (is && this.withPeople((people) => people.look(true))));
      }
      const last = this.#lastTurn;
      if (last && isRunning(last) && !this.#running.has(last.id)) {
        // A question of an earlier page whose answer is still being written.
        void this.#run({ turn_id: last.id, message: last.question, page_url: "" }, true);
      }
    } catch (error) {
      const { code, message } = error as Failure;
      // A refusal of the origin may not be read by its pages, and looks like a lost connection.
      console.warn("Docent:", code === "network" ? "does the agent allow " + location.origin : message);
      this.#change({ connection: "failed", refusal: code });
      this.#shell.emit("error", { code });
      if (isHopeless(code)) this.#shell.settle(error as Failure);
      throw error;
    }
  }

  /** To where the visitor was on the page before, with what was written there. */
  async #comeBack(): Promise<void> {
    const { place, draft } = this.#before;
    this.#before = {};
    const { input } = this.#shell.frame;
    if (draft && !input.value) {
      input.value = draft;
      this.#shell.frame.typed();
    }
    if (!place || !this.#state.isOpen) return;
    while (!turnOf(this.#state.turns, place[0]) && (await this.older()));
    this.#draw();
    this.#view.goTo(place);
  }

  #stay(): Stay {
    return stayOf(this.#shell, this.#state, this.#view, this.client.conversation);
  }

  #rest(): void {
    // Of whoever has not opened it themselves, nothing is kept.
    const { tab } = this.#shell;
    if (tab.read().open != null) tab.keep(this.#stay());
    this.client.pause();
  }

  #hear({ stay, conversation, turn, question, rating }: Told): void {
    if (!turn) return void (!stay && this.#state.isOpen && this.#tell({ stay: { ...this.#stay(), draft: undefined } }));
    if (conversation !== this.client.conversation) return;
    if (rating) this.#dispatch({ type: "rated", id: turn, rating, isCommented: true });
    else this.#missed.push({ turn, question: question ?? "" });
    void this.#catchUp();
  }

  /** Shows what was asked in other tabs; a server lets few tabs listen at once, so those in the background do not. */
  async #catchUp(): Promise<void> {
    for (let told; !document.hidden && (told = this.#missed.shift()); ) {
      const { turn: id = "", question = "" } = told;
      if (turnOf(this.#state.turns, id)) continue;
      this.#dispatch({ type: "asked", id, question });
      await this.#run({ turn_id: id, message: question, page_url: "" }, true, true);
    }
  }

  get #lastTurn(): Turn | undefined {
    return this.#state.turns.at(-1);
  }

  #newQuestion(message: string): Question {
    const question = newQuestion(message);
    this.#asked.set(question.turn_id, question);
    return question;
  }

  /** `join` where the server has the turn, `isElsewhere` where another tab sees to it. */
  async #run(question: Question, join = false, isElsewhere = false): Promise<void> {
    const id = question.turn_id;
    const running = new AbortController();
    this.#running.set(id, running);
    try {
      if (this.#state.connection !== "ready") await this.#connect();
      const hear = (event: ClientEvent): void => {
        this.#dispatch({ type: "answered", id, event });
        // Now that the server has it, others can listen as well.
        if (event.event === "start" && !join) this.#tell({ conversation: event.conversation_id, turn: id, question: question.message });
        if ((event as { answered_by?: string }).answered_by === "handoff") void this.withPeople((people) => people.look(false));
      };
      if (!join) await readPage(this.#shell, question);
      await this.client.ask(question, hear, running.signal, join);
    } catch (error) {
      const { code, retryable = true } = error as Failure;
      if (/person|proof/.test(code)) await this.withPeople((people) => people.mend(code, question, () => this.#dispatch({ type: "cleared", id })));
      this.#dispatch({ type: "failed", id, code, retryable });
    }
    if (this.#running.get(id) === running) this.#running.delete(id);
    if (isElsewhere) return;
    const turn = turnOf(this.#state.turns, id);
    if (turn && !isRunning(turn) && !this.#state.isOpen) this.#view.mark(1);
    if (turn?.status === "failed") this.#shell.emit("error", { turn_id: id, code: turn.error });
    else if (turn && !isRunning(turn)) {
      this.#shell.emit("answer", { turn_id: id, text: turn.answer, citations: turn.citations, low_confidence: turn.isUnsure });
      if (turn.isUnsure) this.#shell.emit("gap", { turn_id: id, message: turn.question });
    }
  }

  /** The same turn again where the connection failed; where the turn itself did, a new one in its place. */
  retry(id: string): void {
    const turn = turnOf(this.#state.turns, id);
    if (!turn) return;
    const mayGoOn = /network|cut|limited|overl/.test(turn.error ?? "");
    const question = (mayGoOn && this.#asked.get(id)) || this.#newQuestion(turn.question);
    this.#dispatch({ type: "retried", id, newId: question.turn_id });
    void this.#run(question);
  }

  stop(): void {
    const turn = this.#lastTurn;
    if (!turn || !isRunning(turn)) return;
    const running = this.#running.get(turn.id);
    this.#dispatch({ type: "stopped", id: turn.id });
    this.client.stop(turn.id).catch(() => undefined);
    setTimeout(() => running?.abort(), STOP_GRACE_MS);
  }

  async rate(id: string, rating: Rating, comment?: string): Promise<void> {
    this.#dispatch({ type: "rated", id, rating, isCommented: comment != null });
    this.#tell({ conversation: this.client.conversation, turn: id, rating });
    // The thumb itself was told before; an empty comment adds nothing to it.
    if (comment === "") return;
    this.#shell.emit("feedback", { turn_id: id, rating, ...(comment && { comment }) });
    await this.client.rate(id, rating, comment).catch((error: unknown) => this.notice(error));
  }

  /** Does it once the file that sees to people is here, which most visitors never need, and the turns are drawn, between which they write. */
  async withPeople(act: (people: People) => unknown): Promise<void> {
    try {
      const open = await peopleFile(this.#shell, this.client);
      this.#draw();
      await act((this.#people ??= open(this.#view, this.client, this.#shell, this.#state.agent)));
    } catch (error) {
      this.notice(error);
    }
  }

  async fresh(): Promise<void> {
    try {
      // A person who waits for this visitor would wait in vain.
      if (/waiting|talking/.test(this.#shell.frame.panel.dataset.person ?? "")) await this.client.call("POST", "/person/end");
      this.#leave();
      this.#change({ hasPast: true });
    } catch (error) {
      this.notice(error);
    }
  }

  goTo(conversation: string): void {
    this.#leave(conversation);
    this.#change({ connection: "none" });
    this.connect();
  }

  #leave(next?: string): void {
    this.#abortAll();
    this.client.goTo(next);
    this.#dispatch({ type: "cleared" });
  }

  /** Shows what was said before the first turn; returns whether it came. */
  async older(): Promise<boolean> {
    const first = this.#state.turns[0]?.id;
    if (!first || !this.#state.hasEarlier || this.#isGoingBack) return false;
    this.#isGoingBack = true;
    try {
      const { messages, has_earlier: hasEarlier } = await messagesBefore(first, this.client);
      // Unless another conversation has taken its place.
      if (first === this.#state.turns[0]?.id) this.#dispatch({ type: "older", messages, hasEarlier });
      return true;
    } catch (error) {
      this.notice(error);
      return false;
    } finally {
      this.#isGoingBack = false;
    }
  }

  copy(turn: Turn): Promise<void> {
    return navigator.clipboard.writeText(withSources(turn));
  }

  cited(turn: Turn, citation: Citation): void {
    this.#shell.emit("citation_click", { turn_id: turn.id, citation });
  }

  notice(error: unknown): void {
    this.#change({ notice: (error as Failure).code });
  }

  #change(to: Extract<Happening, { type: "changed" }>["to"]): void {
    this.#dispatch({ type: "changed", to });
  }

  #abortAll(): void {
    for (const running of this.#running.values()) running.abort();
    this.#running.clear();
    this.#asked.clear();
    this.#people?.close();
    this.#people = undefined;
  }

  #dispatch(happening: Happening): void {
    this.#state = next(this.#state, happening);
    if (this.#isDrawDue) return;
    this.#isDrawDue = true;
    atNextFrame(() => this.#isDrawDue && this.#draw());
  }

  #draw(): void {
    this.#isDrawDue = false;
    this.#view.draw(this.#state);
  }
}
