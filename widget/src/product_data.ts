/** What a page's JSON-LD (https://schema.org) says of the products, offers, events, recipes, jobs and questions on it. */

const MAX_THINGS = 20;
const MAX_SCRIPT_CHARS = 200_000;
const MAX_DEPTH = 6;
/** Addresses, pictures and other people's words are no answer to anything. */
const TOLD = /^(?:https?:\/\/schema\.org\/)?(Product|Offer|Event|Recipe|JobPosting|Question)(?:Group)?$/m;
const LEFT_OUT = /^@|^(image|url|logo|review|sameAs|isRelatedTo|isSimilarTo|mainEntityOfPage|breadcrumb)s?$/;

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
  const kind = TOLD.exec([(value as { "@type"?: unknown })["@type"]].flat().join("\n"))?.[1];
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
  const { price, priceCurrency } = value as { price?: unknown; priceCurrency?: unknown };
  const priced = price && priceCurrency ? { ...value, price: price + " " + priceCurrency, priceCurrency: "" } : value;
  return join(
    Object.entries(priced).map(([name, each]) => {
      const text = !LEFT_OUT.test(name) && told(each, depth + 1);
      return text && name + ": " + text;
    }),
  );
}

function join(parts: (string | false)[]): string {
  return parts.filter(Boolean).join(", ");
}
