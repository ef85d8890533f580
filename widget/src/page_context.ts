/** What the page says of itself, sent with a question so that "what does this cost?" can be answered.
 *
 * An allow-list: title, description, Open Graph and product data, and what is shown of the main content. Nothing a visitor typed
 * or a site marked private ever leaves: forms, editable text and anything under `data-docent-private` are skipped. */
import { productLines } from "./product_data.js";
import { shownLines } from "./shown_lines.js";

/** @internal */
export const MAX_CONTEXT_BYTES = 8000;

export function pageContext(document: Document): string {
  const told = [...document.querySelectorAll<HTMLMetaElement>("meta[property^='og:'],meta[property^='product:']")].map((meta) => {
    const [name, text] = [meta.getAttribute("property"), meta.content.replace(/\s+/g, " ").trim()];
    // Pictures, addresses and sizes are no answer to anything.
    return text && !/^https?:|image|video|audio|locale/.test(text.slice(0, 6) + name) && name + ": " + text;
  });
  const description = document.querySelector<HTMLMetaElement>("meta[name=description]")?.content;
  const parts = [document.title, description, ...productLines(document), ...told, ...shownLines(document, MAX_CONTEXT_BYTES)];
  return cutToBytes(parts.filter(Boolean).join("\n"), MAX_CONTEXT_BYTES);
}

/** The longest start of `text` that has at most `limit` bytes of UTF-8 and ends between characters.
 *
 * @internal */
export function cutToBytes(text: string, limit: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  while (((bytes[end] as number) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end));
}
