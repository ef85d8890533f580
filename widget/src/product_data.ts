/** What a page's JSON-LD (https://schema.org) says of the products, offers, events, recipes, jobs and questions on it. */

const MAX_THINGS = 20;
const MAX_SCRIPT_CHARS = 200_000;
const MAX_DEPTH = 6;
/** Addresses, pictures and other people's words are no answer to anything. */
/** In one type or a list of them, with or without the vocabulary before it. */
const TOLD = /(?:^|[/,])(Product|Offer|Event|Recipe|JobPosting|Question)(?:Group)?(?:,|$)/;
const LEFT_OUT = /^@|^(image|url|logo|review|sameAs|isRelatedTo|isSimilarTo|mainEntityOfPage|breadcrumb|priceCurrency)s?$/;

/** A line for each, such as "Product: name: Red shoe, offers: price: 40 EUR". */
export function productLines(document: Document): string[] {
  const lines: string[] = [];
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    const text = script.textContent ?? "";
    if (text.length > MAX_SCRIPT_CHARS || script.closest("[data-docent-private]")) continue;
    try {
      find(JSON.parse(text), lines, 0);
    } catch {
      // A mistake in the page's own data is none of ours.
    }
  }
  return lines;
}

function find(value: unknown, lines: string[], depth: number): void {
  if (typeof value !== "object" || !value || depth > MAX_DEPTH || lines.length >= MAX_THINGS) return;
  const kind = TOLD.exec(String((value as { "@type"?: unknown })["@type"]))?.[1];
  if (kind) {
    lines.push(kind + ": " + told(value, depth));
    return;
  }
  for (const each of Object.values(value)) find(each, lines, depth + 1);
}

function told(value: unknown, depth: number): string {
  // Answers and descriptions may be HTML.
  if (typeof value !== "object") return String(value).replace(/^https?:\/\/schema\.org\//, "").replace(/(?:<[^<>]*>|\s)+/g, " ").trim();
  if (!value || depth > MAX_DEPTH) return "";
  if (Array.isArray(value)) return join(value.map((each) => told(each, depth + 1)));
  const currency = (value as { priceCurrency?: unknown }).priceCurrency;
  return join(
    Object.entries(value).map(([name, each]) => {
      const text = !LEFT_OUT.test(name) && told(each, depth + 1);
      return text && name + ": " + text + (name === "price" && currency ? " " + currency : "");
    }),
  );
}

function join(parts: (string | false)[]): string {
  return parts.filter(Boolean).join(", ");
}
