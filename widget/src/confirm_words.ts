/** The words of what a visitor confirms. */
import english, { BEFORE } from "docent:english-confirm";
import type { Words } from "./words.js";

/** Each text's place among these, in the order of words/en.json after those of enum P; the build compares. `{}` is a time. */
export const enum C {
  confirmChange, declineChange, answerUntil, beingDone, changeDone, changeDeclined, changeExpired, changeVoid, changeFailed, changeUnknown,
}

/** A text in the interface's language, which has come with the other words; English is in this file. */
export function textOf(words: Words, place: C): string {
  return words[(BEFORE + place) as never] ?? (english[place] as string);
}
