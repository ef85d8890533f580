import type { Message, Question, Rating, SignedUser } from "../../../src/contract.js";
import type { Failure } from "../../../src/failure.js";
import { uuid } from "../../../src/ids.js";
import { pageAddress } from "../../../src/page_address.js";
import { initialState, isRunning, next, turnOf, type Happening, type State } from "../../../src/state.js";
import { browserStore, type Kept } from "../../../src/store.js";
import { Client } from "../../../src/whole_client.js";

export interface ChatOptions {
  /** Origin of your Docent, such as "https://chat.example.com". */
  base: string;
  /** The agent's id. */
  agent: string;
  /** BCP 47, such as "de"; else the language of the page. */
  locale?: string;
  /** Who is signed in on the website, as its server has signed it. */
  user?: SignedUser;
  /** What the visitor's page says, for questions about it; see `pageContext`. */
  pageContext?: () => string;
  fetch?: typeof fetch;
}

/** A conversation as it stands. Each state is a new object; what has not changed stays the same within it. */
export type ChatState = Omit<State, "isOpen" | "hasPast" | "notice">;

/** What a chat is before it is opened. */
export const EMPTY_CHAT: ChatState = initialState;

const MAX_MESSAGE_CHARS = 4000;

/** One visitor's conversation with an agent, without an interface. */
export class Chat {
  readonly #options: ChatOptions;
  /** For what is rarer than a conversation. */
  readonly client: Client;
  readonly #listeners = new Set<() => void>();
  readonly #asked = new Map<string, Question>();
  readonly #running = new Map<string, AbortController>();
  #state: State = initialState;
  #opening: Promise<void> | undefined;

  constructor(options: ChatOptions) {
    this.#options = options;
    const kept = browserStore<Kept>(options.agent, "localStorage");
    this.client = new Client({
      base: options.base.replace(/\/$/, ""),
      agentId: options.agent,
      locale: options.locale ?? (inBrowser() ? document.documentElement.lang || navigator.language : "en"),
      pageUrl: () => this.#here(),
      anonymousId: () => kept.read().anonymous_id,
      keepAnonymousId: (anonymous_id) => kept.keep({ anonymous_id }),
      user: () => options.user,
      isOnline: () => !inBrowser() || navigator.onLine,
      ...(options.fetch && { fetch: options.fetch }),
    });
  }

  get state(): ChatState {
    return this.#state;
  }

  /** Hears of every change, until the function that it returns is called. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Connects, and shows what was said before. That it failed is in the state as well. */
  open(): Promise<void> {
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Asks, and returns the turn's id; null while an answer is being written, or for nothing but blanks. */
  ask = (text: string): string | null => {
    const message = text.trim().slice(0, MAX_MESSAGE_CHARS);
    if (!message || isRunning(this.#state.turns.at(-1))) return null;
    const question = this.#newQuestion(message);
    this.#dispatch({ type: "asked", id: question.turn_id, question: message });
    void this.#run(question);
    return question.turn_id;
  };

  /** Ends the answer that is being written; what is there of it is kept. */
  stop = (): void => {
    const turn = this.#state.turns.at(-1);
    if (!turn || !isRunning(turn)) return;
    this.#dispatch({ type: "stopped", id: turn.id });
    this.client.stop(turn.id).catch(() => undefined);
  };

  /** Asks a failed question again: the same turn goes on where only the connection was lost. */
  retry = (id: string): void => {
    const turn = turnOf(this.#state.turns, id);
    if (!turn || isRunning(turn)) return;
    const mayGoOn = /network|cut|limited|overl/.test(turn.error ?? "");
    const question = (mayGoOn && this.#asked.get(id)) || this.#newQuestion(turn.question);
    this.#dispatch({ type: "retried", id, newId: question.turn_id });
    void this.#run(question);
  };

  /** Says whether an answer helped. Rejects with a Failure. */
  rate = async (id: string, rating: Rating, comment?: string): Promise<void> => {
    this.#dispatch({ type: "rated", id, rating, isCommented: comment != null });
    await this.client.rate(id, rating, comment);
  };

  /** Shows what was said before the first turn; returns whether there was something. Rejects with a Failure. */
  older = async (): Promise<boolean> => {
    const first = this.#state.turns[0]?.id;
    if (!first || !this.#state.hasEarlier) return false;
    const response = await this.client.call("GET", "/conversation/messages?before=" + first);
    const { messages, has_earlier: hasEarlier } = (await response.json()) as { messages: Message[]; has_earlier: boolean };
    if (first !== this.#state.turns[0]?.id) return false;
    this.#dispatch({ type: "older", messages, hasEarlier });
    return true;
  };

  /** Leaves the conversation for a new one, which the next question begins. */
  startAfresh = (): void => {
    this.close();
    this.client.goTo();
    this.#dispatch({ type: "cleared" });
  };

  /** Lets go of all connections; answers are written to their end all the same. `open` and `ask` go on. */
  close(): void {
    for (const running of this.#running.values()) running.abort();
    this.#running.clear();
    this.#change({ connection: "none" });
  }

  async #connect(): Promise<void> {
    this.#change({ connection: "connecting" });
    try {
      this.#dispatch({ type: "connected", session: await this.client.open() });
    } catch (error) {
      this.#change({ connection: "failed", refusal: (error as Failure).code });
      throw error;
    }
    const last = this.#state.turns.at(-1);
    // A question of an earlier page whose answer is still being written.
    if (last && isRunning(last) && !this.#running.has(last.id)) void this.#run({ turn_id: last.id, message: last.question, page_url: "" }, true);
  }

  /** A program is on no page: its questions are of your Docent itself. */
  #here(): string {
    return inBrowser() ? pageAddress(location.href) : this.#options.base;
  }

  #newQuestion(message: string): Question {
    const context = this.#options.pageContext?.();
    const question: Question = { turn_id: uuid(), message, page_url: this.#here(), ...(context && { page_context: context }) };
    this.#asked.set(question.turn_id, question);
    return question;
  }

  async #run(question: Question, join = false): Promise<void> {
    const id = question.turn_id;
    const running = new AbortController();
    this.#running.set(id, running);
    try {
      if (this.#state.connection !== "ready") await this.open();
      const ask = (): Promise<void> => this.client.ask(question, (event) => this.#dispatch({ type: "answered", id, event }), running.signal, join);
      await ask().catch(async (refusal: Failure) => {
        if (refusal.code !== "proof_wanted") throw refusal;
        const { proveTo } = await import("./proof.js");
        await proveTo(this.client);
        await ask();
      });
    } catch (error) {
      const { code, retryable = true } = error as Failure;
      this.#dispatch({ type: "failed", id, code, retryable });
    }
    if (this.#running.get(id) === running) this.#running.delete(id);
  }

  #change(to: Extract<Happening, { type: "changed" }>["to"]): void {
    this.#dispatch({ type: "changed", to });
  }

  #dispatch(happening: Happening): void {
    this.#state = next(this.#state, happening);
    for (const listener of [...this.#listeners]) listener();
  }
}

/** What an interface does with a chat; each may be handed on by itself. */
export type ChatActions = Pick<Chat, "ask" | "stop" | "retry" | "rate" | "older" | "startAfresh">;

const inBrowser = (): boolean => typeof document !== "undefined";
