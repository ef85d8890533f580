import type { Citation } from "./contract.js";
import { h, type Child } from "./element.js";
import type { Element, Node } from "./markdown.js";
import { safeLink } from "./safe_link.js";

export interface MarkdownContext {
  citations: readonly Citation[];
  live: boolean;
  onCitation: (citation: Citation) => void;
}

export function drawNode(node: Element, context: MarkdownContext): HTMLElement;
export function drawNode(node: Node, context: MarkdownContext): Child;
export function drawNode(node: Node, context: MarkdownContext): Child {
  if (typeof node === "string") return node;
  const { tag } = node;
  const children = node.children.map((child) => drawNode(child, context));
  if (tag === "cite") return drawCitation(node.children[0] as string, context);
  if (tag === "a") return drawLink(node.href ?? "", children);
  if (tag === "code") return h(tag, { dir: "ltr" }, ...children);
  // What scrolls sideways must scroll with the keyboard too.
  if (tag === "pre") return h(tag, { dir: "ltr", tabindex: 0 }, h("code", {}, ...children));
  if (tag === "table") return h("div", { class: tag, tabindex: 0 }, h(tag, {}, ...children));
  return h(tag as "p", { start: node.start }, ...children);
}

function drawLink(href: string, children: Child[]): HTMLElement {
  const url = safeLink(href);
  if (!url) return h("span", {}, ...children);
  const link = outward(url, { class: "link" }, ...children);
  // Whoever reads the words must also see where they lead.
  if (!link.textContent?.includes(url.host)) link.append(h("span", { class: "host" }, " " + url.host));
  return link;
}

function drawCitation(id: string, context: MarkdownContext): Child {
  const citation = context.citations.find((one) => String(one.id) === id);
  const url = citation && safeLink(citation.link || citation.url);
  if (!url) {
    // Sources arrive after the text; until then the number waits in place.
    return context.live || citation ? h("span", { class: "cite" }, id) : "[" + id + "]";
  }
  return outward(
    url,
    {
      class: "cite",
      "aria-label": id + ": " + citation.title,
      title: citation.quote || citation.title,
      click: () => context.onCitation(citation),
    },
    id,
  );
}

/** A link that leaves the page; without a URL the same, and nothing to click. */
export function outward(url: URL | null, attributes: Parameters<typeof h>[1], ...children: Child[]): HTMLElement {
  return h("a", url ? { ...attributes, href: url.href, target: "_blank", rel: "noopener noreferrer" } : attributes, ...children);
}
