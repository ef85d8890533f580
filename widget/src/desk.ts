import type { Client } from "./client.js";
import type { Agent, Question } from "./contract.js";
import type { Shell } from "./shell.js";
import type { Speech } from "./speech.js";
import type { Turn } from "./state.js";
import type { Words } from "./words.js";

/** What of the panel the third file uses. */
export interface Desk {
  /** All that is drawn, right under the shadow root. */
  root: HTMLElement;
  words: Words;
  speech: Speech;
  actions: {
    /** Asks whoever answers now. */
    ask(text: string): void;
    /** Asks a refused question again. */
    retry(id: string): void;
    /** Tells of something that went wrong. */
    notice(error: unknown): void;
  };
  /** Tells the page. */
  emit: Shell["emit"];
  /** Tells on the launcher of so many more things that came while the panel was closed. */
  mark(count: number): void;
  /** Moves focus to where a visitor writes. */
  focus(): void;
}

/** What the third file does for the widget, for one visitor until `close`. */
export interface People {
  /** Draws into the element what the turn asks the visitor to confirm, else a way to the rest of what was cut short, and the agent's to people. */
  offer(place: HTMLElement, turn: Turn): void;
  /** Draws into the element a field for what was missing in an answer. */
  askWhy(place: HTMLElement, tell: (comment: string) => void): void;
  /** Asks for a person. */
  call(): void;
  /** Looks whether there is a person. `isResumed` when what was said before this page is to be put in its place. */
  look(isResumed: boolean): void;
  /** Says it to the person, if there is one or `isSure` that there is; returns whether it does. */
  say(text: string, isSure?: boolean): boolean;
  /** Sees to a question that was refused because a person has the conversation, or because work is to be proven first. */
  mend(code: string, question: Question, clear: () => void): Promise<void>;
  close(): void;
}

export type OpenPeople = (desk: Desk, client: Client, shell: Shell, agent?: Agent) => People;
