/** What the script tag says, and what the page has changed since. */
export interface Options {
  agentId: string;
  base: string;
  /** Where the script's other files are, with a slash at the end. */
  files: string;
  locale: string;
  /** "light" or "dark"; else as the visitor's system has it. */
  theme: string | undefined;
  position?: string | undefined;
  color?: string | undefined;
  label?: string | undefined;
  icon?: string | undefined;
  /** The fingerprint of the agent's picture, for the launcher. */
  picture?: string | undefined;
  /** "none": the website has one of its own. */
  launcher?: string | undefined;
  /** "same": links to the page's own website open in its tab. */
  links?: string | undefined;
  /** Whether the panel is wide until the visitor says otherwise. */
  wide?: boolean | undefined;
  /** What the website tells of the visitor, and what of it its server has signed. */
  attributes?: Record<string, string> | undefined;
  signedAttributes?: string | undefined;
  attributesHash?: string | undefined;
  pageContext: boolean;
  open: boolean;
  /** The element of the page that the panel stands in, in place of a launcher on top of the page. */
  into?: Element | undefined;
}

/** Where the picture of that fingerprint is. */
export function pictureUrl({ files, agentId }: Options, fingerprint: string): string {
  return files + "pictures/" + agentId + "/" + fingerprint + ".webp";
}

type Said = Partial<Record<string, unknown>>;

/** Reads `data-*` attributes; `src` is the script's own address, below "/widget/" of the API. */
export function readOptions(data: Partial<Record<string, string>>, src: string, pageLocale: string): Options | null {
  const agentId = data.agent?.trim();
  if (!agentId) return null;
  const files = new URL(".", src).href;
  return {
    agentId,
    base: files.slice(0, -8), // without "/widget/"
    files,
    locale: data.locale || pageLocale || "en",
    open: data.open === "true",
    pageContext: true,
    theme: undefined,
    ...looksOf(data),
  };
}

/** What a tag or a later call says of what may change: position, color, label, icon, picture and launcher are taken as they are. */
export function looksOf(said: Said): Partial<Options> {
  const looks = { ...said };
  if (looks.theme === "auto") looks.theme = undefined;
  if ("pageContext" in looks) looks.pageContext = !/off|false/.test(String(looks.pageContext));
  if (looks.wide != null) looks.wide = String(looks.wide) !== "false";
  // These stand for good.
  for (const name of ["agent", "locale", "open"]) delete looks[name];
  return looks;
}
