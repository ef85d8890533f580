/** What the script tag says. */
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
  pageContext: boolean;
  open: boolean;
  /** The element of the page that the panel stands in, in place of a launcher on top of the page. */
  into?: Element | undefined;
}

/** Reads `data-*` attributes; `src` is the script's own address, below "/widget/" of the API. */
export function readOptions(data: Partial<Record<string, string>>, src: string, pageLocale: string): Options | null {
  const agentId = data.agent?.trim();
  if (!agentId) return null;
  const files = new URL(".", src).href;
  return {
    // What is taken as it is: position, color, label and icon.
    ...data,
    agentId,
    base: files.slice(0, -8), // without "/widget/"
    files,
    locale: data.locale || pageLocale || "en",
    theme: data.theme === "auto" ? undefined : data.theme,
    pageContext: data.pageContext !== "off",
    open: data.open === "true",
  };
}
