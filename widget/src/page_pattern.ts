/** Whether the pattern is all of the text, where `*` is any run of characters; without going back, as the server does for the pages of a
 * source. */
export function fits(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last == null) return text === pattern;
  const end = text.length - last.length;
  let at = first.length;
  if (!text.startsWith(first) || end < at || !text.endsWith(last)) return false;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Whether a page is meant: by one of the patterns, or where there are none. */
export function isMeant(patterns: readonly string[], address: Pick<Location, "pathname" | "search">): boolean {
  const target = address.pathname + address.search;
  return patterns.length === 0 || patterns.some((pattern) => fits(pattern, target));
}
