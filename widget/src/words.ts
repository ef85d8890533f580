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
  latest: "Jump to the latest",
  greeting: "Hello! What would you like to know?",
  you: "You asked",
  reconnecting: "Reconnecting",
  long: "Please ask in fewer words.",
  newTab: "opens in a new tab",
};

export type Words = typeof ENGLISH;

/** Each has a file words/<language>.json beside the script. */
export const LANGUAGES = ["ar", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "tr", "zh"];

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

/** What to tell a visitor about a failure, by its code. */
export function failureText(words: Words, code: string | undefined): string {
  switch (code) {
    case "rate_limited":
      return words.busy;
    case "overloaded":
    case "turn_in_progress":
    case "shutting_down":
      return words.full;
    case "network":
    case "cut":
    case "model_interrupted":
      return words.cut;
    case "origin_refused":
    case "not_found":
      return words.refused;
    case "too_large":
    case "invalid_request":
      return words.long;
    default:
      return words.broken;
  }
}
