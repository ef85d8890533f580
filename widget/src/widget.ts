import { PAGE, PEOPLE } from "docent:parts";
import { Client, type ClientEvent } from "./client.js";
import type { Citation, Question, Rating, SignedUser } from "./contract.js";
import type { OpenPeople, People } from "./desk.js";
import type { Failure } from "./failure.js";
import { placeOnPage } from "./host.js";
import { uuid } from "./ids.js";
import type { Options } from "./options.js";
import { pageAddress } from "./page_address.js";
import type { pageContext } from "./page_context.js";
import { loadPart } from "./part_file.js";
import { PanelView, type PanelActions } from "./panel_view.js";
import { initialState, isRunning, next, type Happening, type State, type Turn } from "./state.js";
import { browserStore } from "./store.js";
import { themeCss } from "./theme.js";
import css from "./widget.css";
import { ENGLISH, speechFor, type Speech, type Words } from "./words.js";

export type EventName = "open" | "close" | "message" | "answer" | "citation_click" | "feedback" | "gap" | "error";
/** `(window.Docent = window.Docent || []).push(["ask", "Where is my order?"])` */
export type QueuedCall = [name: string, ...args: unknown[]];
export type Listener = (detail: unknown) => void;

/** After a stop the sources may still come; longer than this we do not listen. */
const STOP_GRACE_MS = 2000;

/** One agent on one page: turns what a visitor does into calls, and what comes back into states to draw. */
export class Widget implements PanelActions {
  /** Every widget of the page by its agent's id. */
  readonly agents: Record<string, Widget>;
  readonly #options: Options;
  readonly #client: Client;
  readonly #store;
  readonly #host = document.createElement("docent-widget");
  readonly #view: PanelView;
  readonly #themeSheet = new CSSStyleSheet();
  readonly #screenSheet = new CSSStyleSheet();
  readonly #gone = new AbortController();
  readonly #listeners = new Map<EventName, Set<Listener>>();
  readonly #asked = new Map<string, Question>();
  readonly #running = new Map<string, AbortController>();
  readonly #above: number;
  readonly #speech: Speech;
  readonly #words: Words = { ...ENGLISH };
  #user: SignedUser | undefined;
  #state: State = initialState;
  #isDrawDue = false;
  #awakening: Promise<void> | null = null;
  #isAwake = false;
  #returnFocusTo: Element | null = null;
  #people: People | undefined;

  constructor(options: Options, agents: Record<string, Widget> = {}) {
    this.#options = options;
    this.#above = Object.keys(agents).length;
    this.agents = agents;
    agents[options.agentId] = this;
    this.#store = browserStore(options.agentId);
    this.#client = new Client({
      base: options.base,
      agentId: options.agentId,
      locale: options.locale,
      pageUrl: () => pageAddress(location.href),
      anonymousId: () => this.#store.read().anonymous_id,
      keepAnonymousId: (id) => this.#store.write({ ...this.#store.read(), anonymous_id: id }),
      user: () => this.#user,
      isOnline: () => navigator.onLine,
    });
    this.#speech = speechFor(options.locale);
    this.#view = new PanelView(this.#words, this.#speech, this);
    this.#mount();
  }

  /** Opens the panel. Focus moves in only where a visitor's own act led here, so that no page can steal it. */
  open(): void {
    if (this.#state.isOpen) return;
    if (!this.#isAwake) {
      this.#awakening ??= this.#wakeUp().finally(() => {
        this.#isAwake = true;
        this.open();
      });
      return;
    }
    const active = document.activeElement;
    this.#returnFocusTo = active === this.#host ? null : active;
    this.#change({ isOpen: true });
    this.#draw();
    if (navigator.userActivation.isActive) this.#view.focus();
    this.#emit("open", {});
    if (/none|failed/.test(this.#state.connection)) this.connect();
  }

  close(): void {
    if (!this.#state.isOpen) return;
    const hadFocus = document.activeElement === this.#host;
    this.#change({ isOpen: false });
    this.#draw();
    if (hadFocus) {
      const before = this.#returnFocusTo;
      if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
      else this.#view.launcher.focus({ preventScroll: true });
    }
    this.#emit("close", {});
  }

  toggle(): void {
    if (this.#state.isOpen) this.close();
    else this.open();
  }

  ask(text: string): void {
    const message = text.trim().slice(0, 4000);
    if (!message || isRunning(this.#lastTurn)) return;
    this.open();
    if (this.#people?.say(message)) return;
    const question = this.#newQuestion(message);
    this.#dispatch({ type: "asked", id: question.turn_id, question: message });
    // At once, so that a second press of Enter meets a running turn.
    this.#draw();
    this.#emit("message", { turn_id: question.turn_id, message });
    void this.#run(question);
  }

  /** Says who is signed in on the website, by a signature that its server made. The same person again changes nothing. */
  identify(user: SignedUser): void {
    if (user.userId !== this.#user?.userId || user.hash !== this.#user.hash) this.#become(user);
  }

  /** Forgets the visitor on this device: at sign-out, so that the next person starts with nothing. */
  reset(): void {
    this.#become();
  }

  #become(user?: SignedUser): void {
    const { theme } = this.#store.read();
    this.#user = user;
    this.#abortAll();
    this.#client.forget();
    // A name that this browser kept is somebody else's now.
    this.#store.write(user && theme ? { theme } : undefined);
    this.#dispatch({ type: "cleared" });
    this.#change({ connection: "none" });
    if (this.#state.isOpen) this.connect();
  }

  on(name: EventName, listener: Listener): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** A call by its name, as pages queue them before the script has loaded. */
  push([name, ...args]: QueuedCall): void {
    const call = this[name as "open"] as ((...args: unknown[]) => void) | undefined;
    call?.apply(this, args);
  }

  destroy(): void {
    delete this.agents[this.#options.agentId];
    this.#abortAll();
    this.#gone.abort();
    this.#host.remove();
  }

  #mount(): void {
    const shadow = this.#host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets = [sheet, this.#themeSheet, this.#screenSheet];
    shadow.append(this.#view.root);
    this.#applyTheme();
    placeOnPage(this.#host, this.#options.theme, this.#gone.signal);
    this.#draw();
  }

  /** What only an opened widget needs. */
  async #wakeUp(): Promise<void> {
    const { signal } = this.#gone;
    const online = (): void => {
      this.#change({ isOnline: navigator.onLine });
      if (navigator.onLine) this.#client.wake();
    };
    online();
    addEventListener("online", online, { signal });
    addEventListener("offline", online, { signal });
    addEventListener("pagehide", () => this.#client.pause(), { signal });
    addEventListener("pageshow", () => this.#client.wake(), { signal });
    const screen = window.visualViewport;
    const fit = (): void => {
      // With the keyboard up a phone shows less than the page's height.
      if (screen) this.#screenSheet.replaceSync(`:host{--height:${screen.height}px;--top:${screen.offsetTop}px}`);
    };
    fit();
    screen?.addEventListener("resize", fit, { signal });
    screen?.addEventListener("scroll", fit, { signal });
    // Here by the time of the first question.
    if (this.#options.pageContext) loadPart(this.#options.files, PAGE).catch(() => undefined);
    const { language } = this.#speech;
    if (language === "en") return;
    const response = await fetch(this.#options.files + "words/" + language + ".json", { credentials: "omit" }).catch(() => null);
    if (response?.ok) Object.assign(this.#words, await response.json());
  }

  #applyTheme(): void {
    const { color, label, position, icon } = this.#options;
    // Until this page is told the theme, an earlier one's stands.
    const theme = this.#state.agent?.theme ?? this.#store.read().theme;
    this.#themeSheet.replaceSync(
      themeCss({
        color: color ?? theme?.primary_color,
        radius: theme?.radius,
        position: position ?? theme?.position,
        above: this.#above,
      }),
    );
    this.#view.dress(label ?? theme?.launcher_label ?? "", icon ?? theme?.launcher_icon ?? "");
  }

  /** Connects; that it failed is in the state, and drawn. */
  connect(): void {
    void this.#connect().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    this.#change({ connection: "connecting" });
    try {
      const session = await this.#client.open();
      this.#dispatch({ type: "connected", session });
      this.#store.write({ ...this.#store.read(), theme: session.agent.theme });
      this.#applyTheme();
      if (session.agent.live_chat) {
        // A chat that an earlier page had goes on; one that could not be heard of is looked for again.
        const isNone = this.#client.call("GET", "/person").then(async (answer) => (await answer.json()).state === "none", () => false);
        void isNone.then((none) => {
          if (!none) void this.withPeople((people) => people.look(true));
        });
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
      this.#emit("error", { code });
      throw error;
    }
  }

  get #lastTurn(): Turn | undefined {
    return this.#state.turns.at(-1);
  }

  #newQuestion(message: string): Question {
    const question: Question = { turn_id: uuid(), message, page_url: pageAddress(location.href) };
    this.#asked.set(question.turn_id, question);
    return question;
  }

  /** Once for a question, so that a repetition of it is the same; without it the question is asked all the same. */
  async #readPage(question: Question): Promise<void> {
    if (!this.#options.pageContext || question.page_context != null) return;
    const read = await loadPart<typeof pageContext>(this.#options.files, PAGE).catch(() => null);
    if (read) question.page_context = read(document);
  }

  async #run(question: Question, join = false): Promise<void> {
    const id = question.turn_id;
    const running = new AbortController();
    this.#running.set(id, running);
    try {
      if (this.#state.connection !== "ready") await this.#connect();
      const hear = (event: ClientEvent): void => {
        this.#dispatch({ type: "answered", id, event });
        if ((event as { answered_by?: string }).answered_by === "handoff") void this.withPeople((people) => people.look(false));
      };
      if (!join) await this.#readPage(question);
      await this.#client.ask(question, hear, running.signal, join);
    } catch (error) {
      const { code, retryable = true } = error as Failure;
      if (code === "handed_to_person") {
        // Called in another tab: what was asked here is for the person.
        await this.withPeople((people) => {
          people.say(question.message, true);
          this.#dispatch({ type: "cleared", id });
        });
      }
      this.#dispatch({ type: "failed", id, code, retryable });
    }
    if (this.#running.get(id) === running) this.#running.delete(id);
    const turn = this.#state.turns.find((each) => each.id === id);
    if (turn?.status === "failed") this.#emit("error", { turn_id: id, code: turn.error });
    else if (turn && !isRunning(turn)) {
      this.#emit("answer", { turn_id: id, text: turn.answer, citations: turn.citations, low_confidence: turn.isUnsure });
      if (turn.isUnsure) this.#emit("gap", { turn_id: id, message: turn.question });
    }
  }

  /** The same turn again where the connection failed; where the turn itself did, a new one in its place. */
  retry(id: string): void {
    const turn = this.#state.turns.find((each) => each.id === id);
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
    this.#client.stop(turn.id).catch(() => undefined);
    setTimeout(() => running?.abort(), STOP_GRACE_MS);
  }

  async rate(id: string, rating: Rating, comment?: string): Promise<void> {
    this.#dispatch({ type: "rated", id, rating, isCommented: comment != null });
    // The thumb itself was told before; an empty comment adds nothing to it.
    if (comment === "") return;
    this.#emit("feedback", { turn_id: id, rating, ...(comment && { comment }) });
    await this.#client.rate(id, rating, comment).catch((error: unknown) => this.notice(error));
  }

  /** Does it once the file that sees to people is here, which most visitors never need. */
  async withPeople(act: (people: People) => void): Promise<void> {
    try {
      const open = await loadPart<OpenPeople>(this.#options.files, PEOPLE);
      act((this.#people ??= open(this.#view, this.#client, this.#store, this.#state.agent)));
    } catch (error) {
      this.notice(error);
    }
  }

  async fresh(): Promise<void> {
    try {
      await this.#client.clear();
      this.#abortAll();
      this.#dispatch({ type: "cleared" });
    } catch (error) {
      this.notice(error);
    }
  }

  async copy(turn: Turn): Promise<void> {
    const sources = turn.citations.map((one) => `\n[${one.id}] ${one.title} ${one.url}`).join("");
    // An answer is copied with what its numbers mean.
    await navigator.clipboard.writeText(turn.answer + "\n" + sources);
  }

  cited(turn: Turn, citation: Citation): void {
    this.#emit("citation_click", { turn_id: turn.id, citation });
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
    const draw = (): void => {
      if (this.#isDrawDue) this.#draw();
    };
    // A page in the background gets no frames, yet is drawn by the time it is looked at.
    if (document.hidden) setTimeout(draw, 100);
    else requestAnimationFrame(draw);
  }

  #draw(): void {
    this.#isDrawDue = false;
    this.#view.draw(this.#state);
  }

  #emit(name: EventName, detail: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(detail);
      } catch (error) {
        // The page's mistake must not become ours.
        reportError(error);
      }
    }
  }
}
