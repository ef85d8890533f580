/** The interface's words. English is built in; another language is one small file, fetched when the panel opens. */
export const ENGLISH = {
  close: "Close chat",
  placeholder: "Ask a question",
  send: "Send",
  stop: "Stop answering",
  searching: "Searching the site",
  reading: "Reading the pages",
  writing: "Writing the answer",
  retry: "Try again",
  copy: "Copy",
  copied: "Copied",
  up: "Helpful",
  down: "Not helpful",
  thanks: "Thank you for telling us.",
  why: "What was missing?",
  fresh: "New conversation",
  sources: "Sources",
  asOf: "as of",
  unsure: "I could not find a clear answer on this site.",
  stopped: "Stopped.",
  broken: "Something went wrong.",
  busy: "That was a lot at once. Please wait a moment.",
  full: "Many people are asking right now.",
  offline: "You are offline. We go on as soon as you are back.",
  cut: "The connection was lost.",
  refused: "This chat is not available here.",
  note: "Answers come from this website and can be wrong.",
  greeting: "Hello! What would you like to know?",
  you: "You asked",
  reconnecting: "Reconnecting",
  long: "Please ask in fewer words.",
};

export type Words = typeof ENGLISH;

/** Each has a file words/<language>.json beside the script. */
export const LANGUAGES = "ar de es fr it ja nl pl pt tr zh".split(" ");

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
  return { language, direction: language === "ar" ? "rtl" : "ltr", chat: CHAT[language] ?? "Chat" };
}

const FAILURES: Record<string, keyof Words> = {
  rate_limited: "busy",
  overloaded: "full",
  turn_in_progress: "full",
  shutting_down: "full",
  network: "cut",
  cut: "cut",
  model_interrupted: "cut",
  origin_refused: "refused",
  not_found: "refused",
  too_large: "long",
  invalid_request: "long",
};

/** What to tell a visitor about a failure, by its code. */
export function failureText(words: Words, code = ""): string {
  return words[FAILURES[code] ?? "broken"];
}
