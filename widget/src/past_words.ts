/** The words of taking a conversation along. */
import english, { BEFORE } from "docent:english-past";
import type { Words } from "./words.js";

/** Each text's place among these, in the order of words/en.json after those of enum C; the build compares. `{}` is an address. */
export const enum T {
  saveTalk, sendTo, download, sentTo,
}

/** A text in the interface's language, which has come with the other words; English is in this file. */
export function textOf(words: Words, place: T, address = ""): string {
  const text = words[(BEFORE + place) as never] ?? (english[place] as string);
  // An address reads from left to right in any text.
  return (text as string).replace("{}", `\u2066${address}\u2069`);
}
