/** The interface's words. English is built in; another language is one small file, fetched when the panel opens. */
import type { Stage } from "./contract.js";
import list from "docent:english";

/** Each text's place in a list of words, in the order of words/en.json, whose rest is enum P; the build compares. */
export const enum W {
  close, placeholder, send, stop, searching, reading, writing, retry, copy, copied, up, down, thanks, fresh,
  sources, asOf, unsure, stopped, broken, busy, full, offline, cut, refused, note, greeting, you, reconnecting, long,
  person, pending,
}

/** One language: `words[W.close]`. */
export type Words = Record<W, string>;

export const ENGLISH = list as Words;

/** Each has a file words/<language>.json beside the script. */
export const LANGUAGES = "ar de el es fa fr he hi it ja nl pl pt ro ru th tr ur vi zh".split(" ");

/** "Chat" in the languages that say it otherwise: the launcher's name, needed before anything is fetched. */
const CHAT: Record<string, string> = { ar: "محادثة", ja: "チャット", tr: "Sohbet", zh: "聊天" };

export interface Speech {
  language: string;
  direction: "ltr" | "rtl";
  chat: string;
}

/** How the interface speaks to a BCP 47 locale; English where it knows no better. */
export function speechFor(locale: string): Speech {
  const primary = locale.slice(0, 2).toLowerCase();
  const language = LANGUAGES.includes(primary) ? primary : "en";
  return { language, direction: "ar fa he ur".includes(language) ? "rtl" : "ltr", chat: CHAT[language] ?? "Chat" };
}

const FAILURES: Record<string, W> = {
  rate_limited: W.busy,
  overloaded: W.full,
  turn_in_progress: W.pending,
  shutting_down: W.full,
  network: W.cut,
  cut: W.cut,
  model_interrupted: W.cut,
  origin_refused: W.refused,
  not_found: W.refused,
  too_large: W.long,
  invalid_request: W.long,
};

const STAGES: Record<Stage, W> = { searching: W.searching, reading: W.reading, writing: W.writing };

/** What an answer is waiting for. */
export function stageText(words: Words, stage: Stage): string {
  return words[STAGES[stage]];
}

/** What to tell a visitor about a failure, by its code. */
export function failureText(words: Words, code = ""): string {
  return words[FAILURES[code] ?? W.broken];
}
