import type { Failure } from "./failure.js";
import type { PersonAnswer, PersonMessage } from "./person_contract.js";

/** A message of the visitor that the server has not confirmed; `isRefused` once it never will. */
export interface Unsent {
  message_id: string;
  text?: string;
  /** In place of the text: a picture in Base64. */
  picture?: string;
  isRefused?: boolean;
}

/** A chat with a person, as far as this page knows. */
export interface Line {
  state: PersonAnswer["state"];
  operator: string | null;
  isOverdue: boolean;
  isTyping: boolean;
  /** In the order of their numbers. */
  messages: readonly PersonMessage[];
  unsent: readonly Unsent[];
}

export interface LinePorts {
  /** Calls a route of the visitor API. Rejects with a Failure. */
  call(method: string, path: string, body?: unknown): Promise<Response>;
  /** Ends after so many milliseconds, when page or network are back, or at the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  backoffMs(tries: number): number;
  isHidden(): boolean;
  changed(line: Line): void;
  /** What the visitor wanted was refused. */
  failed(): void;
}

export const noLine: Line = { state: "none", operator: null, isOverdue: false, isTyping: false, messages: [], unsent: [] };

/** The longest wait of a timer: until somebody ends it. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** What the server says joined to what is known. Answers may repeat messages, and one that was late changes nothing twice. */
export function joined(line: Line, answer: PersonAnswer): Line {
  const byNumber = new Map([...line.messages, ...answer.messages].map((message) => [message.number, message]));
  return {
    ...line,
    state: answer.state,
    operator: answer.operator_name,
    isOverdue: answer.is_overdue,
    isTyping: answer.is_typing,
    messages: [...byNumber.values()].sort((one, other) => one.number - other.number),
  };
}

/** The number after which to ask: the last of those without a gap before it. */
export function lastNumber(messages: readonly PersonMessage[]): number {
  let last = 0;
  for (const { number } of messages) if (number === last + 1) last = number;
  return last;
}

/** Keeps a page and the server of one mind about the chat with a person.
 *
 * One request at a time: what the visitor has written first, in its order, then what the visitor wants, else the question
 * for news. A message keeps its id for as long as it is tried, so that no repeat can double it. */
export class PersonLine {
  readonly #ports: LinePorts;
  #line: Line;
  /** What the visitor wants that the server has not heard yet: "" for a person, "/end" for none. */
  #want: "" | "/end" | undefined;
  #isRunning = false;
  #isClosed = false;
  #rest = new AbortController();

  constructor(ports: LinePorts, unsent: readonly Unsent[] = []) {
    this.#ports = ports;
    this.#line = { ...noLine, unsent };
  }

  get now(): Line {
    return this.#line;
  }

  /** Asks for news at once, and for as long as there is any to come. */
  look(): void {
    this.#rest.abort();
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    // The conversation may be another one by now, which counts from 1 again.
    this.#line = { ...this.#line, messages: [] };
    void this.#run();
  }

  ask(): void {
    this.#want = "";
    this.look();
  }

  end(): void {
    this.#want = "/end";
    this.look();
  }

  say(message: Unsent): void {
    this.#change({ unsent: [...this.#line.unsent, message] });
    this.look();
  }

  /** Takes back a message that was refused. */
  drop(messageId: string | undefined): void {
    this.#change({ unsent: this.#line.unsent.filter((each) => each.message_id !== messageId) });
  }

  /** Says and hears nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#rest.abort();
  }

  async #run(): Promise<void> {
    const { call, isHidden, backoffMs, failed } = this.#ports;
    let tries = 0;
    while (!this.#isClosed) {
      this.#rest = new AbortController();
      const unsent = this.#line.unsent.find((each) => !each.isRefused);
      const want = unsent ? undefined : this.#want;
      let ms = FOR_EVER_MS;
      if (unsent || want != null || !isHidden()) {
        try {
          const response = unsent
            ? await call("POST", unsent.picture ? "/person/pictures" : "/person/messages", unsent)
            : want != null
              ? await call("POST", "/person" + want)
              : await call("GET", "/person?after=" + lastNumber(this.#line.messages));
          const answer = (await response.json()) as PersonAnswer;
          if (this.#isClosed) return;
          tries = 0;
          if (want === this.#want) this.#want = undefined;
          // In one change, so that no message is drawn twice.
          if (unsent) this.#line = { ...this.#line, unsent: this.#line.unsent.filter((each) => each !== unsent) };
          this.#change(joined(this.#line, answer));
          ms = answer.poll_seconds * 1000;
        } catch (error) {
          if (this.#isClosed) return;
          const { status = 0 } = error as Failure;
          if (!status || status === 429 || status > 499) {
            ms = backoffMs(tries++);
          } else if (unsent) {
            const refused = { ...unsent, isRefused: true };
            this.#change({ unsent: this.#line.unsent.map((each) => (each === unsent ? refused : each)) });
            // Whoever was there may have left.
            continue;
          } else {
            this.#want = undefined;
            if (want != null) failed();
            // There is no such chat any more.
            else this.#change({ state: "ended" });
            ms = 0;
          }
        }
      }
      if (this.#want != null || this.#line.unsent.some((each) => !each.isRefused)) {
        if (!tries) continue;
      } else if (!ms) {
        break;
      }
      if (!this.#rest.signal.aborted) await this.#ports.wait(ms, this.#rest.signal);
    }
    this.#isRunning = false;
  }

  #change(to: Partial<Line>): void {
    this.#line = { ...this.#line, ...to };
    this.#ports.changed(this.#line);
  }
}
