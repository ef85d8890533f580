/** The words of the chat with a person and of the contact form. */
import english, { BEFORE } from "docent:english-people";
import type { Words } from "./words.js";

/** Each text's place among these, in the order of words/en.json after those of enum W; the build compares. `{}` is a name. */
export const enum P {
  why, contact, name, email, message, consent, written, waiting, meanwhile, overdue, cancel, joined, talking, left, ended, end, writeTo,
  wrote, sending, unsent, team, types, picture, sendPicture, cancelForm, rateChat,
}

/** A text in the interface's language, which has come with the other words; English is in this file. */
export function textOf(words: Words, place: P, name = ""): string {
  const text = words[(BEFORE + place) as never] ?? (english[place] as string);
  // A name may read in the other direction than the text around it.
  return (text as string).replace("{}", `\u2068${name}\u2069`);
}
