/** What the script tag says. */
export interface Options {
  agentId: string;
  base: string;
  /** Where the script's other files are, with a slash at the end. */
  files: string;
  locale: string;
  theme: "light" | "dark" | "auto";
  position: "left" | "right" | null;
  color: string | null;
  label: string | null;
  pageContext: boolean;
  open: boolean;
}

/** Reads `data-*` attributes; `src` is the script's own address, whose origin is the API's. */
export function readOptions(data: Partial<Record<string, string>>, src: string, pageLocale: string): Options | null {
  const agentId = data.agent?.trim();
  if (!agentId) return null;
  return {
    agentId,
    base: new URL(src).origin,
    files: new URL(".", src).href,
    locale: data.locale || pageLocale || "en",
    theme: data.theme === "light" || data.theme === "dark" ? data.theme : "auto",
    position: data.position ? sideOf(data.position) : null,
    color: data.color ?? null,
    label: data.label ?? null,
    pageContext: data.pageContext !== "off" && data.pageContext !== "false",
    open: data.open === "true" || data.open === "",
  };
}

export function sideOf(position: string | null | undefined): "left" | "right" {
  return /left/.test(position ?? "") ? "left" : "right";
}
