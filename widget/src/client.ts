import { backoffMs } from "./backoff.js";
import type { AnswerEvent, Question, Rating, Session, SignedUser, VisitorAttributes } from "./contract.js";
import { Failure, failureOf } from "./failure.js";
import { emptyCarry, feed, type Frame } from "./sse.js";

export interface ClientOptions {
  /** Origin of the API, such as "https://chat.example.com". */
  base: string;
  agentId: string;
  locale?: string;
  pageUrl: () => string;
  /** The visitor's id of an earlier visit, and where to put the one that the server gave. */
  anonymousId?: () => string | undefined;
  keepAnonymousId?: (id: string) => void;
  /** The conversation to begin with, null for a new one; else, and where it is gone, the visitor's latest. */
  conversation?: () => string | null | undefined;
  /** What the website tells of the visitor, as `POST /v1/widget/init` takes it. */
  attributes?: () => VisitorAttributes;
  /** Who is signed in on the website; call `forget` when that changes. */
  user?: () => SignedUser | undefined;
  fetch?: typeof fetch;
  isOnline?: () => boolean;
  /** The server sends a heartbeat every 15 s; a stream silent for longer than this is taken for dead. */
  stallMs?: number;
  /** Milliseconds before a lost stream is tried again, by the number of tries before. */
  waitMs?: (tries: number) => number;
}

/** What `ask` reports beside the server's events: a lost connection, and an answer that starts over. */
export type ClientEvent = AnswerEvent | { event: "reconnecting" } | { event: "restart" };

const MAX_TRIES = 6;

/** Speaks the visitor API. Knows no page and draws nothing, so it serves any interface. */
export class Client {
  readonly #options: ClientOptions;
  readonly #fetch: typeof fetch;
  readonly #connections = new Set<AbortController>();
  readonly #sleepers = new Set<() => void>();
  #session: Session | null = null;
  #opening: Promise<Session> | null = null;
  /** Which conversation is wanted in place of the session's: null is a new one. */
  #next: string | null | undefined;
  /** One that was wanted and is not there. */
  #lost: string | undefined;
  #paused = false;
  /** Counts whom this client has spoken for. */
  #person = 0;
  /** The least wait that the server's stream has asked for. */
  #retryMs = 0;
  /** Of the work that the session's `challenge` asks for; sent with each new session. */
  declare proof: string | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? fetch.bind(globalThis);
  }

  /** Starts or resumes the conversation. Calls made meanwhile share one request. */
  open(): Promise<Session> {
    this.#opening ??= this.#init().finally(() => (this.#opening = null));
    return this.#opening;
  }

  /** Asks, and reports each event once and in order until `done` or `error`, across lost connections.
   *
   * The turn's id makes a repeated question harmless. Rejects with a Failure when the server refuses or stays away;
   * `join` only listens to a turn that the server already has. */
  async ask(question: Question, on: (event: ClientEvent) => void, signal: AbortSignal, join = false): Promise<void> {
    const turn = "/turns/" + question.turn_id + "/stream";
    let lastId = "";
    let known = join;
    let tries = 0;
    let restarts = 0;
    while (!signal.aborted) {
      const connection = new AbortController();
      signal.addEventListener("abort", () => connection.abort(), { signal: connection.signal });
      this.#connections.add(connection);
      try {
        const response = known
          ? await this.call("GET", turn, null, connection.signal, lastId)
          : await this.call("POST", "/messages/stream", question, connection.signal);
        for await (const frame of this.#frames(response, connection)) {
          if (lastId && +frame.id <= +lastId) continue;
          lastId = frame.id;
          known = true;
          tries = 0;
          const event = JSON.parse(frame.data) as AnswerEvent;
          on(event);
          if (/done|error/.test(event.event)) return;
        }
        throw new Failure("cut");
      } catch (error) {
        if (signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(lastId ? "cut" : "network");
        if (failure.status === 404 && known && !join && restarts++ < 1) {
          // The server lost the turn, or never had it: the same id may be asked again.
          known = false;
          lastId = "";
          on({ event: "restart" });
          continue;
        }
        // No answer, or a gateway's: the turn itself may be well. A known one is also refused while the connection that
        // was lost still holds its place.
        const isLost = [0, 502, 504, known && 429].includes(failure.status);
        if (!isLost || (tries >= MAX_TRIES && !this.#isHeld)) throw failure;
        on({ event: "reconnecting" });
        await this.wait(Math.max(this.#retryMs, (this.#options.waitMs ?? backoffMs)(tries++)), signal);
      } finally {
        this.#connections.delete(connection);
        connection.abort();
      }
    }
  }

  async stop(turnId: string): Promise<void> {
    await this.call("POST", "/turns/" + turnId + "/stop");
  }

  async rate(turnId: string, rating: Rating, comment?: string): Promise<void> {
    await this.call("POST", "/turns/" + turnId + "/feedback", { rating, comment });
  }

  /** Leaves the conversation for another of the visitor's, or without an id for a new one; the next call opens it. */
  goTo(conversation: string | null = null): void {
    this.#person++;
    this.#next = conversation;
    if (this.#session) this.#session.expires_at = "1970";
  }

  /** The id of the conversation that is open, null for one that is to be. */
  get conversation(): string | null | undefined {
    return this.#next === undefined ? this.#session?.conversation_id : this.#next;
  }

  /** Drops the session, so that the next call starts a new one. */
  forget(): void {
    this.#person++;
    this.#session = null;
    this.#next = undefined;
  }

  /** Lets go of open connections without ending their turns, as a page must before it sleeps; `wake` goes on. */
  pause(): void {
    this.#paused = true;
    for (const connection of this.#connections) connection.abort();
  }

  /** Ends every wait at once: the network or the page is back. */
  wake(): void {
    this.#paused = false;
    for (const sleeper of [...this.#sleepers]) sleeper();
  }

  get #isHeld(): boolean {
    return this.#paused || !(this.#options.isOnline?.() ?? true);
  }

  async #init(): Promise<Session> {
    const { agentId, locale, pageUrl, anonymousId, user, conversation } = this.#options;
    const person = this.#person;
    const { userId, hash } = user?.() ?? {};
    const wanted = this.#next === undefined ? (this.#session?.conversation_id ?? conversation?.()) : this.#next;
    const known = wanted === this.#lost ? undefined : wanted;
    const response = await this.#send("POST", "/init", {
      agent_id: agentId,
      page_url: pageUrl(),
      // JSON leaves out what is undefined.
      anon_id: userId ? undefined : (this.#session?.anonymous_id ?? anonymousId?.()),
      user_id: userId,
      user_hash: hash,
      conversation_id: known ?? undefined,
      new_conversation: known === null || undefined,
      locale,
      proof: this.proof,
      ...this.#options.attributes?.(),
    });
    const session = response.ok ? ((await response.json()) as Session) : null;
    // Whose answer this is has left meanwhile.
    if (person !== this.#person) return this.#init();
    if (known && response.status === 404) {
      // Erased, cleared, or somebody else's: the latest will do.
      this.#lost = known;
      this.#next = undefined;
      return this.#init();
    }
    if (!session) throw await failureOf(response);
    this.#session = session;
    this.#next = undefined;
    if (session.anonymous_id) this.#options.keepAnonymousId?.(session.anonymous_id);
    return session;
  }

  /** Calls a route of the visitor API with the visitor's token, renewed when it is about to end or is refused.
   *
   * `path` is what follows "/v1/widget", `body` is sent as JSON. Rejects with a Failure. */
  async call(method: string, path: string, body?: unknown, signal?: AbortSignal, lastId?: string): Promise<Response> {
    for (let renewed = false; ; renewed = true) {
      const session = this.#session;
      // Half a minute early, for clocks that disagree; one that is far off is put right by the 401.
      const isFresh = session && !(Date.parse(session.expires_at) - Date.now() < 30_000);
      const { token } = isFresh ? session : await this.open();
      const response = await this.#send(method, path, body, token, signal, lastId);
      if (response.ok) return response;
      if (response.status !== 401 || renewed) {
        throw await failureOf(response);
      }
      if (this.#session?.token === token) this.#session.expires_at = "1970";
    }
  }

  #send(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
    signal?: AbortSignal,
    lastId?: string,
  ): Promise<Response> {
    const headers: Record<string, string> = {};
    if (token) headers.Authorization = "Bearer " + token;
    if (body) headers["Content-Type"] = "application/json";
    if (lastId) headers["Last-Event-ID"] = lastId;
    return this.#fetch(this.#options.base + "/v1/widget" + path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
      signal: signal ?? null,
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    }).catch((error: unknown) => {
      throw signal?.aborted ? error : new Failure("network");
    });
  }

  async *#frames(response: Response, connection: AbortController): AsyncGenerator<Frame> {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let carry = emptyCarry;
    for (;;) {
      const stall = setTimeout(() => connection.abort(), this.#options.stallMs ?? 40_000);
      const { done, value } = await reader.read().finally(() => clearTimeout(stall));
      if (done) return;
      let frames: Frame[];
      [carry, frames] = feed(carry, decoder.decode(value, { stream: true }));
      this.#retryMs = carry.retry ?? 0;
      yield* frames;
    }
  }

  /** Ends after `ms`, at `wake`, or at the signal; while the page sleeps or is offline, only at the latter two. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#sleepers.delete(finish);
        resolve();
      };
      const timer = this.#isHeld ? undefined : setTimeout(finish, ms);
      this.#sleepers.add(finish);
      signal.addEventListener("abort", finish);
    });
  }
}
