/** The interface's words. English is in the scripts, each with those that it needs; another language is one small file. */
import list from "docent:english";
import type { Stage } from "./contract.js";

/** Each text's place in a list of words, in the order of words/en.json, whose rest is enum P; the build compares. Those up to
 * `note` are in the first script. */
export const enum W {
  close, wide, placeholder, send, retry, offline, cut, note,
  stop, searching, reading, writing, thinking, copy, copied, up, down, thanks, fresh,
  sources, asOf, unsure, stopped, broken, busy, full, refused, greeting, you, reconnecting, long,
  person, pending, further, more, jump, code, cutShort, goOn, past, earlier, examples, solved, paused,
}

/** One language: `words[W.close]`. */
export type Words = Record<W, string>;

/** Without those of the first script, which lends its own. */
export const ENGLISH = list as Words;

const FAILURES: Record<string, W> = {
  rate_limited: W.busy,
  overloaded: W.full,
  turn_in_progress: W.pending,
  shutting_down: W.full,
  network: W.cut,
  cut: W.cut,
  model_interrupted: W.cut,
  interrupted: W.cut,
  origin_refused: W.refused,
  not_found: W.refused,
  agent_paused: W.paused,
  too_large: W.long,
  invalid_request: W.long,
};

const STAGES: Record<Stage, W> = { searching: W.searching, reading: W.reading, writing: W.writing, thinking: W.thinking };

/** What an answer is waiting for. */
export function stageText(words: Words, stage: Stage): string {
  return words[STAGES[stage]];
}

/** Whether asking again cannot help. */
export function isHopeless(code = ""): boolean {
  return /refused|found|invalid|unauth/.test(code);
}

/** What to tell a visitor about a failure, by its code. */
export function failureText(words: Words, code = ""): string {
  return words[FAILURES[code] ?? W.broken];
}
