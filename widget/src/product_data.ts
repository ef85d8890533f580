/** What a page's JSON-LD (https://schema.org/Product) says of the products on it. */

const MAX_PRODUCTS = 20;
const MAX_SCRIPT_CHARS = 200_000;
const MAX_DEPTH = 6;
/** Addresses, pictures and other people's words are no answer to anything. */
const LEFT_OUT = /^@|^(image|url|logo|review|sameAs|isRelatedTo|isSimilarTo|mainEntityOfPage|breadcrumb)s?$/;

/** A line for each product, such as "Product: name: Red shoe, offers: price: 40, priceCurrency: EUR". */
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
  return lines.slice(0, MAX_PRODUCTS);
}

function find(value: unknown, lines: string[], depth: number): void {
  if (typeof value !== "object" || !value || depth > MAX_DEPTH || lines.length >= MAX_PRODUCTS) return;
  if (/^(https?:\/\/schema\.org\/)?Product(Group)?$/m.test([(value as { "@type"?: unknown })["@type"]].flat().join("\n"))) {
    lines.push("Product: " + told(value, depth));
    return;
  }
  for (const each of Object.values(value)) find(each, lines, depth + 1);
}

function told(value: unknown, depth: number): string {
  if (typeof value !== "object") return String(value).replace(/^https?:\/\/schema\.org\//, "").replace(/\s+/g, " ").trim();
  if (!value || depth > MAX_DEPTH) return "";
  if (Array.isArray(value)) return join(value.map((each) => told(each, depth + 1)));
  return join(
    Object.entries(value).map(([name, each]) => {
      const text = !LEFT_OUT.test(name) && told(each, depth + 1);
      return text && name + ": " + text;
    }),
  );
}

function join(parts: (string | false)[]): string {
  return parts.filter(Boolean).join(", ");
}
