import type { ClientEvent } from "./client.js";
import type { Agent, Citation, Confirmation, Message, Rating, Session, Stage } from "./contract.js";

/** One question and its answer. A greeting by the server has no question. */
export interface Turn {
  id: string;
  question: string;
  answer: string;
  status: "waiting" | "streaming" | "done" | "stopped" | "failed";
  stage: Stage;
  citations: readonly Citation[];
  isReconnecting?: boolean;
  isUnsure?: boolean;
  /** It says itself that there is none. */
  isNone?: boolean;
  /** It answers a greeting or thanks, or asks back: there is nothing in it to rate. */
  isTalk?: boolean;
  /** It ends where it had to, not where it should. */
  isCut?: boolean;
  /** A code, once failed, and whether asking again can help. */
  error?: string;
  retryable?: boolean;
  rating?: Rating;
  isCommented?: boolean;
  /** What may be asked next. */
  further?: readonly string[];
  /** What the visitor is asked to confirm. */
  confirmation?: Confirmation | null | undefined;
  /** When it was asked, of a turn that an earlier page had. */
  at?: string | undefined;
}

export interface State {
  isOpen: boolean;
  connection: "none" | "connecting" | "ready" | "failed";
  isOnline: boolean;
  agent?: Agent;
  /** Whether there are turns before the first. */
  hasEarlier?: boolean;
  /** Whether there may be other conversations. */
  hasPast?: boolean;
  turns: readonly Turn[];
  /** A code: why the connection failed. */
  refusal?: string;
  /** A code of something outside a turn that went wrong. */
  notice?: string;
}

/** "changed" carries what is simply so from now on; the others mean different things in different states. */
export type Happening =
  | { type: "changed"; to: Partial<Omit<State, "turns" | "agent">> }
  | { type: "connected"; session: Session }
  | { type: "older"; messages: readonly Message[]; hasEarlier: boolean }
  /** Without an id, of all. */
  | { type: "cleared"; id?: string }
  | { type: "asked"; id: string; question: string }
  | { type: "answered"; id: string; event: ClientEvent }
  | { type: "failed"; id: string; code: string; retryable: boolean }
  | { type: "retried"; id: string; newId: string }
  | { type: "stopped"; id: string }
  | { type: "rated"; id: string; rating: Rating; isCommented: boolean };

export const initialState: State = { isOpen: false, connection: "none", isOnline: true, turns: [] };

export function newTurn(id: string, question: string): Turn {
  return { id, question, answer: "", status: "waiting", stage: "searching", citations: [] };
}

export function next(state: State, happening: Happening): State {
  switch (happening.type) {
    case "changed":
      return { ...state, ...happening.to };
    case "connected": {
      const { agent, messages, has_earlier: hasEarlier } = happening.session;
      const all = turnsOf(messages);
      const earlier = all.filter((old) => !state.turns.some((turn) => turn.id === old.id));
      return {
        ...state,
        connection: "ready",
        // What is the same is not drawn anew.
        agent: JSON.stringify(agent) === JSON.stringify(state.agent) ? state.agent! : agent,
        // Of a session that begins with a turn that is here, those before it are as they were.
        hasEarlier: all[0] === earlier[0] ? hasEarlier : !!state.hasEarlier,
        turns: [...earlier, ...state.turns],
      };
    }
    case "older":
      return { ...state, hasEarlier: happening.hasEarlier, turns: [...turnsOf(happening.messages, true), ...state.turns] };
    case "cleared":
      return { ...state, turns: state.turns.filter((turn) => happening.id && turn.id !== happening.id), hasEarlier: !!happening.id && !!state.hasEarlier, notice: "" };
    case "asked":
      return { ...state, hasPast: true, turns: [...state.turns, newTurn(happening.id, happening.question)], notice: "" };
    default:
      return {
        ...state,
        turns: state.turns.map((turn) => (turn.id === happening.id ? nextTurn(turn, happening) : turn)),
      };
  }
}

function nextTurn(turn: Turn, happening: Exclude<Extract<Happening, { id: string }>, { type: "asked" | "cleared" }>): Turn {
  switch (happening.type) {
    case "answered":
      return afterEvent(turn, happening.event);
    case "failed": {
      // Which has ways to people, as an answer that says that there is none.
      const isUnsure = happening.code === "agent_paused";
      return isRunning(turn)
        ? { ...turn, status: "failed", error: happening.code, retryable: happening.retryable, isReconnecting: false, isUnsure, isNone: isUnsure }
        : turn;
    }
    case "retried":
      return newTurn(happening.newId, turn.question);
    case "stopped":
      return isRunning(turn) ? { ...turn, status: "stopped", isReconnecting: false } : turn;
    default:
      return { ...turn, rating: happening.rating, isCommented: happening.isCommented };
  }
}

function afterEvent(turn: Turn, event: ClientEvent): Turn {
  const live = { ...turn, isReconnecting: event.event === "reconnecting" };
  // "citations" and "confirm", each with what is to be in its place.
  if (event.event[0] === "c") return { ...live, ...event };
  // What was stopped grows no more.
  if (!isRunning(turn)) return turn;
  switch (event.event) {
    case "restart":
      return newTurn(turn.id, turn.question);
    case "status":
      return { ...live, stage: event.stage };
    case "token":
      return { ...live, status: "streaming", answer: turn.answer + event.token };
    case "done":
      return { ...live, ...told(event) };
    case "error":
      return { ...live, status: "failed", error: event.code, retryable: event.retryable };
    default:
      return live;
  }
}

function failed(error: string): Partial<Turn> {
  return { status: "failed", error, retryable: true };
}

/** What a receipt says of an answer, and a message of history. */
function told(from: Pick<Message, "low_confidence" | "answered_by" | "finish" | "error_code" | "next_questions">): Partial<Turn> {
  const { low_confidence: isUnsure, answered_by: by, finish, error_code: error, next_questions: further } = from;
  return {
    status: finish === "stopped" ? "stopped" : "done",
    ...(error && failed(error)),
    isUnsure: isUnsure ?? false,
    isNone: by === "fallback",
    isTalk: by === "small_talk" || by === "clarification",
    isCut: finish === "length",
    further: further ?? [],
  };
}

export function isRunning(turn: Turn | undefined): boolean {
  return turn?.status === "waiting" || turn?.status === "streaming";
}

export function turnOf(turns: readonly Turn[], id: string): Turn | undefined {
  return turns.find((turn) => turn.id === id);
}

/** The answer with what its numbers mean, to be copied. */
export function withSources({ answer, citations }: Turn): string {
  return answer + "\n" + citations.map((one) => `\n[${one.id}] ${one.title} ${one.url}`).join("");
}

/** History as turns. The newest question without an answer may still be under way; an older one was cut. */
export function turnsOf(messages: readonly Message[], isOlder = false): Turn[] {
  const turns = new Map<string, Turn>();
  for (const message of messages) {
    const { id: messageId, turn_id, role, text, created_at, citations, confirmation } = message;
    const id = turn_id ?? messageId;
    const turn = turns.get(id) ?? newTurn(id, "");
    turns.set(
      id,
      role === "visitor"
        ? { ...turn, question: text, at: created_at }
        : { ...turn, answer: text, citations: citations ?? [], confirmation, ...told(message), ...(message.rating && { rating: message.rating }) },
    );
  }
  return [...turns.values()]
    .map((turn, at): Turn => (isRunning(turn) && (isOlder || at < turns.size - 1) ? { ...turn, ...failed("cut") } : turn))
    // What was asked again has the later turn's answer.
    .filter((turn, at, all) => turn.status !== "failed" || turn.question !== all[at + 1]?.question);
}
