/** Each has a file words/<language>.json beside the script; English is in the scripts. */
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
