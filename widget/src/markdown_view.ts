import type { Citation } from "./contract.js";
import { fill, h, icon, iconButton, type Child } from "./element.js";
import { ICONS } from "./icons.js";
import type { Element, Node } from "./markdown.js";
import { safeLink } from "./safe_link.js";
import { W, type Words } from "./words.js";

/** "1,200.50", "3 %" or "€ 9": aligned so that their ends meet. */
const NUMBER = /^[^\p{L}]*\d[\d.,\s\u00a0]*(?:%|[^\p{L}\d]|EUR|USD|GBP)*$/u;

export interface MarkdownContext {
  citations: readonly Citation[];
  /** Whether the sources are still to come. */
  live: boolean;
  words: Words;
  paint: (code: HTMLElement, language: string) => void;
  onCitation: (citation: Citation) => void;
}

const MARK = /^[.,;:!?]/;

export function drawNode(node: Element, context: MarkdownContext): HTMLElement;
export function drawNode(node: Node, context: MarkdownContext): Child;
export function drawNode(node: Node, context: MarkdownContext): Child {
  if (typeof node === "string") return node;
  const { tag } = node;
  const isCited = (at: number): boolean => (node.children[at + 1] as Partial<Element>)?.tag === "cite";
  const takesMark = (at: number): boolean => typeof node.children[at] === "string" && isCited(at) && (!isCited(at - 2) || /[^\s.,;:!?]/.test(node.children[at] as string));
  const children = node.children.map((child, at) => {
    if (typeof child !== "string") return drawNode(child, context);
    // A number begins no line: it belongs to the word before it, after the mark that ends what it proves.
    if (takesMark(at - 2)) child = child.replace(MARK, "");
    return isCited(at) ? child.replace(/ ?$/, (blank) => ((takesMark(at) && MARK.exec(String(node.children[at + 2]))?.[0]) || "") + (blank && "\xa0")) : child;
  });
  if (tag === "cite") return drawCitation(node.children[0] as string, context);
  if (tag === "task") return drawTask(!!node.children[0]);
  if (tag === "a") return drawLink(node.href ?? "", children);
  if (tag === "code") return h(tag, { dir: "ltr" }, ...children);
  // What scrolls sideways must scroll with the keyboard too.
  if (tag === "pre") return drawCode(node, context);
  if (tag === "table") return h("div", { class: tag, tabindex: 0 }, alignAmounts(h(tag, {}, ...children)));
  const isNumber = tag === "td" && node.children.length === 1 && NUMBER.test(node.children[0] as string);
  // A heading without words is none.
  return h((tag === "th" && !children.length ? "td" : tag) as "p", { start: node.start, class: isNumber && "amount" }, ...children);
}

/** A column of numbers, at least by half, stands at the right with its heading and its words; any other at the left. */
function alignAmounts(table: HTMLTableElement): HTMLElement {
  const [head, ...body] = table.rows;
  for (const cell of head!.cells) {
    const column = body.flatMap((row) => row.cells[cell.cellIndex] ?? []);
    const amounts = column.filter((each) => each.className).length;
    for (const each of [cell, ...column]) each.className = amounts && amounts * 2 >= column.length ? "amount" : "";
  }
  return table;
}

/** Drawn, and spoken by the name that its character has. */
function drawTask(isDone: boolean): HTMLElement {
  return h("span", { class: "task", role: "img", "aria-label": isDone ? "☑" : "☐" }, icon("M5 5h14v14H5z" + (isDone ? "M8 12l3 3 5-6" : "")));
}

/** A block of code under its language and a button that copies it. */
function drawCode({ lang, children }: Element, { words, paint }: MarkdownContext): HTMLElement {
  const text = children[0] as string;
  const code = h("code", {}, text);
  if (lang) paint(code, lang);
  const copy = copyButton(words[W.copy] + ": " + (lang || words[W.code]), words[W.copied], () => navigator.clipboard.writeText(text));
  return h("div", { class: "code" }, h("div", { class: "bar" }, h("span", {}, lang), copy), h("pre", { dir: "ltr", tabindex: 0 }, code));
}

/** A button that says that it has copied. The clipboard is closed to pages without TLS: null. */
export function copyButton(label: string, done: string, write: () => Promise<void>): HTMLElement | null {
  if (!navigator.clipboard) return null;
  const copy = iconButton(label, ICONS.copy, () => {
    void write().then(() => {
      fill(copy, icon(ICONS.check));
      copy.ariaLabel = done;
    });
  });
  return copy;
}

function drawLink(href: string, children: Child[]): HTMLElement {
  const url = safeLink(href);
  if (!url) return h("span", {}, ...children);
  const link = outward(url, { class: "link" }, ...children);
  // Whoever reads the words must also see where they lead, if it is away.
  if (url.host !== location.host && !link.textContent?.includes(url.host)) link.append(h("span", { class: "host" }, " " + url.host));
  return link;
}

/** With `cite`, the number that stands in the text already is given its link: nothing is laid out for that. */
export function drawCitation(id: string, { citations, live, onCitation }: MarkdownContext, cite = h("a", { class: "cite" }, id)): HTMLElement {
  const citation = citations.find((one) => "" + one.id === id);
  const url = citation && safeLink(citation.link || citation.url);
  if (url) {
    lead(cite, url).title = citation.quote || citation.title;
    cite.ariaLabel = id + ": " + citation.title;
    cite.onclick = () => onCitation(citation);
  } else if (!live && !citation) {
    // Sources arrive after the text, and until then the number waits in place.
    cite.className = "";
    cite.textContent = "[" + id + "]";
  }
  return cite;
}

/** A link that leaves the page, which the other one hears nothing of (`noreferrer` means `noopener` as well); without a URL the same, and nothing to click. */
export function outward(url: URL | null, attributes: Parameters<typeof h>[1], ...children: Child[]): HTMLElement {
  return lead(h("a", attributes, ...children), url);
}

function lead(link: HTMLAnchorElement, url: URL | null): HTMLElement {
  return Object.assign(link, url && { href: url.href, target: "_blank", rel: "noreferrer" });
}
