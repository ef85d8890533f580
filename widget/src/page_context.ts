/** What the page says of itself, sent with a question so that "what does this cost?" can be answered.
 *
 * An allow-list: title, description, headings and text of the main content. Nothing a visitor typed or a site marked
 * private ever leaves: forms, editable text and anything under `data-docent-private` are skipped. */

/** @internal */
export const MAX_CONTEXT_BYTES = 8000;

const SKIPPED =
  "script,style,form,input,textarea,nav,dialog,[hidden],[aria-hidden=true],[contenteditable],[data-docent-private]";

export function pageContext(document: Document): string {
  const main = document.querySelector("main,[role=main],article");
  const parts = [document.title, document.querySelector<HTMLMetaElement>("meta[name=description]")?.content];
  // Leaves only, so that no text is sent twice.
  for (const element of main?.querySelectorAll("h1,h2,h3,h4,p,li:not(:has(p,li)),dt,dd,th,td,pre") ?? []) {
    if (!element.closest(SKIPPED) && !element.querySelector(SKIPPED)) parts.push(element.textContent?.replace(/\s+/g, " ").trim());
  }
  return cutToBytes(parts.filter(Boolean).join("\n"), MAX_CONTEXT_BYTES);
}

/** The longest start of `text` that has at most `limit` bytes of UTF-8 and ends between characters.
 *
 * @internal */
export function cutToBytes(text: string, limit: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end));
}
