/** Reads the Markdown that answers use into a plain tree; nothing here touches a page.
 *
 * Raw HTML is text. With `live`, the text is the start of a longer one: marks still open count as closed at the end,
 * and half a mark at the end is held back, so that no prefix of an answer shows its markup. */

/** `tag` is an HTML element's name, "cite" for the number of a source, or "task" for the box of a task, which holds "x" when it is
 * done. Attributes are those of the tag. */
export interface Element {
  tag: string;
  children: Node[];
  href?: string;
  start?: number;
  /** Of a block of code: its language. */
  lang?: string | undefined;
  /** Of a block: the text it was read from. Equal source in an equal place means an equal block. */
  source?: string;
}

export type Node = string | Element;

const FENCE = /^ {0,3}(`{3,}) *([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6}) +(.*?) *#*$/;
const RULE = /^ {0,3}([-*_]) *(?:\1 *){2,}$/;
const ITEM = /^( *)([-*+•]|\d{1,9}[.)])(?: +(.*)|)$/;
const TASK = /^\[([ xX])\](?: +|$)/;
const HALF_TASK = /^\[[ xX]?$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const DELIMITERS = /^ *[|:-][ |:-]*$/;
const MARKS_ONLY = /^ *(?:[#>|`*_+\-•: ]+|\d{1,9}[.)]?) *$/;
const DEEPEST = 8;

export function parseMarkdown(text: string, live = false): Element[] {
  return blocks(text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").split("\n"), live, 0);
}

const startsBlock = (line: string): boolean => [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line));

function blocks(lines: string[], live: boolean, depth: number): Element[] {
  const found: Element[] = [];
  let at = 0;
  let from = 0;
  let top = 0;
  /** Whether what was just read may go on in the next token. */
  const isOpen = (): boolean => live && at >= lines.length;
  const add = (tag: string, children: Node[], more?: Partial<Element>): void => {
    found.push({ tag, children, ...more, source: lines.slice(from, at).join("\n") + (isOpen() ? "\0" : "") });
  };
  const isHalf = (): boolean => live && at === lines.length - 1 && MARKS_ONLY.test(lines[at] as string);
  const startsTable = (): boolean => {
    const below = lines[at + 1];
    return below === undefined
      ? live && /^ *\|/.test(lines[at] as string)
      : /\|/.test(lines[at] as string) && DELIMITERS.test(below) && (live || /-/.test(below)) && /[|-]/.test(below);
  };
  while (at < lines.length) {
    const line = lines[at] as string;
    let match: RegExpExecArray | null;
    from = at;
    if (!line.trim()) {
      at++;
    } else if ((match = FENCE.exec(line))) {
      const fence = match[1] as string;
      const body: string[] = [];
      for (at++; at < lines.length && !isFence(lines[at] as string, fence); at++) body.push(lines[at] as string);
      if (at++ >= lines.length) {
        at = lines.length;
        if (live && /^ *`+$/.test(body[body.length - 1] ?? "")) body.pop();
      }
      add("pre", [body.join("\n")], { lang: match[2] });
    } else if (isHalf()) {
      at++;
    } else if ((match = HEADING.exec(line))) {
      at++;
      const level = (match[1] as string).length;
      top ||= level;
      // Whatever level an answer starts at, below the panel's own heading comes the third.
      add(level > top ? "h4" : "h3", inline(match[2] as string, isOpen()));
    } else if (RULE.test(line)) {
      at++;
      add("hr", []);
    } else if (depth < DEEPEST && QUOTE.test(line)) {
      const inner: string[] = [];
      for (; (match = QUOTE.exec(lines[at] ?? "")); at++) inner.push(match[1] as string);
      add("blockquote", blocks(inner, isOpen(), depth + 1));
    } else if (depth < DEEPEST && (match = ITEM.exec(line))) {
      const indent = (match[1] as string).length;
      const marker = match[2] as string;
      const isOrdered = /\d/.test(marker);
      const items: string[][] = [];
      for (; at < lines.length; at++) {
        const current = lines[at] as string;
        const item = ITEM.exec(current);
        const last = items[items.length - 1] as string[];
        if (item && (item[1] as string).length < indent + 2 && !RULE.test(current)) {
          if (/\d/.test(item[2] as string) !== isOrdered || (item[1] as string).length < indent) break;
          items.push([item[3] ?? ""]);
        } else if (!current.trim()) {
          const following = lines.slice(at).find((each) => each.trim());
          if (!following || !(ITEM.test(following) || /^ {2}/.test(following))) break;
          last.push("");
        } else if (/^ {2}/.test(current) || (last.every(Boolean) && !startsBlock(current))) {
          // No further in than the item's own text begins.
          last.push(current.slice(Math.min(current.search(/\S/), indent + marker.length + 1)));
        } else break;
      }
      const open = isOpen();
      const children = items.map((item, n) => {
        const isGrowing = open && n === items.length - 1;
        const text = item[0] as string;
        const task = TASK.exec(text);
        if (task) item[0] = text.slice(task[0].length);
        else if (isGrowing && HALF_TASK.test(text)) item[0] = "";
        const box: Node[] = task ? [{ tag: "task", children: [(task[1] as string).trim().toLowerCase()] }] : [];
        return { tag: "li", children: [...box, ...withoutParagraph(blocks(item, isGrowing, depth + 1))] };
      });
      add(isOrdered ? "ol" : "ul", children, isOrdered ? { start: parseInt(marker) } : {});
    } else if (startsTable()) {
      const rows: string[] = [];
      for (; /\|/.test(lines[at] ?? "") || rows.length === 1 && at < lines.length; at++) rows.push(lines[at] as string);
      const open = isOpen();
      const width = cells(rows[0] as string).length;
      rows.splice(1, 1);
      const row = (text: string, n: number): Element => ({
        tag: "tr",
        children: cells(text)
          .slice(0, width)
          .map((cell, m, all) => ({
            tag: n ? "td" : "th",
            children: inline(cell, open && n === rows.length - 1 && m === all.length - 1),
          })),
      });
      add("table", rows.map(row));
    } else {
      const text: string[] = [];
      do text.push((lines[at++] as string).trim());
      while (at < lines.length && (lines[at] as string).trim() && !startsBlock(lines[at] as string) && !startsTable() && !isHalf());
      if (at < lines.length && isHalf()) at++;
      add("p", inline(text.join("\n"), isOpen()));
    }
  }
  return found;
}

function isFence(line: string, opened: string): boolean {
  return /^ {0,3}`+ *$/.test(line) && line.trim().length >= opened.length;
}

/** The text of a short item stands in the item itself, without a paragraph's margins. */
function withoutParagraph(item: Element[]): Node[] {
  const [first, ...rest] = item;
  return first?.tag === "p" ? [...first.children, ...rest] : item;
}

/** The cells of a row; an escaped bar or one inside code does not end a cell. */
function cells(row: string): string[] {
  const parts = row.trim().replace(/^\||\|$/g, "").match(/(?:\\.|`[^`]*`|[^|])+|\|(?=\|)|^(?=\|)/g) ?? [""];
  return parts.map((cell) => (cell === "|" ? "" : cell.replace(/\\\|/g, "|").trim()));
}

const PLAIN = /[^\\`*_~[!h\n]+/y;
const CITE = /\[(\d{1,3}(?:, *\d{1,3})*)\](?!\()/y;
const LINK = /(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(<?((?:[^\s()]|\([^\s()]*\))*?)>?(?:\s+"[^"]*")?\)/y;
const HALF_LINK = /(!?)\[(?:[\d, ]*|([^[\]]*)(?:\](?:\([^()\s]*(?:\s[^()]*)?)?)?)$/y;
const BARE_URL = /https?:\/\/[^\s<>"'`*|\\^{}[\]]+/y;
/** A mail address, or a telephone number as it is written for people elsewhere, or with its area code apart. */
const CONTACT = /([\w.+-]+@[\w.-]+\.\w+|(?<!\w)(?:\+\d|0\d\d+[ /])[\d ()/-]{5,}\d)/;
const LETTER = /[\p{L}\p{N}]/u;

export function inline(source: string, live: boolean, depth = 0): Node[] {
  const found: Node[] = [];
  const unclosed = new Set<string>();
  let at = 0;
  let match: RegExpExecArray | null;
  const add = (node: Node): void => {
    const last = found.length - 1;
    if (typeof node === "string" && typeof found[last] === "string") found[last] += node;
    else if (node) found.push(node);
  };
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if ((match = pattern.exec(source))) at += match[0].length;
    return Boolean(match);
  };
  const group = (n: number): string => (match as RegExpExecArray)[n] ?? "";
  while (at < source.length) {
    const char = source[at] as string;
    const isAfterLetter = LETTER.test(source[at - 1] ?? "");
    if (take(PLAIN)) {
      add(group(0));
    } else if (char === "\n") {
      at++;
      add({ tag: "br", children: [] });
    } else if (char === "\\") {
      const escaped = source[at + 1] ?? "";
      const isMark = /[!-/:-@[-`{-~]/.test(escaped);
      if (escaped || !live) add(isMark ? escaped : char);
      at += isMark ? 2 : 1;
    } else if (char === "`") {
      const run = runAt(source, at);
      const begin = at + run;
      let end = begin;
      do end = source.indexOf(char, end + runAt(source, end) * Number(source[end] === char));
      while (end > 0 && runAt(source, end) !== run);
      if (end > 0 || live) {
        // Backticks at the very end may be the closing ones, still arriving.
        const code = end > 0 ? source.slice(begin, end) : source.slice(begin).replace(/`+$/, "");
        if (code) add({ tag: "code", children: [code.replace(/\n/g, " ").replace(/^ (.+) $/, "$1")] });
        at = end > 0 ? end + run : source.length;
      } else {
        add(char.repeat(run));
        at = begin;
      }
    } else if (take(CITE)) {
      for (const id of group(1).split(",")) add({ tag: "cite", children: [id.trim()] });
    } else if (take(LINK)) {
      // A picture is only its description: showing it would call a stranger's server.
      if (group(1)) add(group(2));
      else add({ tag: "a", href: group(3), children: withoutLinks(inlineOrText(group(2), depth)) });
    } else if (live && take(HALF_LINK)) {
      if (!group(1)) withoutLinks(inlineOrText(group(2), depth)).forEach(add);
    } else if (!isAfterLetter && take(BARE_URL)) {
      const url = withoutFullStop(group(0));
      // An address still arriving is no link yet.
      add(live && at >= source.length ? url : { tag: "a", href: url, children: [url] });
      at -= group(0).length - url.length;
    } else if (char === "*" || char === "_" || char === "~") {
      const run = runAt(source, at);
      const mark = char.repeat(Math.min(run, 2));
      const begin = at + mark.length;
      const isStrike = char === "~";
      const opens = depth < DEEPEST && (isStrike ? run === 2 : run < 4) && !/^\s/.test(source.slice(at + run)) && !(char === "_" && isAfterLetter);
      const end = opens && !unclosed.has(mark) ? closer(source, begin, mark) : -1;
      if (opens && end < 0) unclosed.add(mark);
      if (opens && (end > 0 || live)) {
        // A mark at the very end may be the closing one, still arriving.
        const inner = end > 0 ? source.slice(begin, end) : source.slice(begin).replace(/[*~]+$/, "");
        const children = inline(inner, end < 0, depth + 1);
        if (children.length) add({ tag: isStrike ? "del" : mark[1] ? "strong" : "em", children });
        at = end > 0 ? end + mark.length : source.length;
      } else {
        // One at the end may be half of a mark.
        if (!live || !isStrike || run > 1 || at < source.length - 1) add(char.repeat(run));
        at += run;
      }
    } else {
      // A "!" at the end may open a picture, and is shown with what follows.
      if (!live || char !== "!" || at < source.length - 1) add(char);
      at++;
    }
  }
  // One that still arrives is no link yet.
  return live ? found : found.flatMap((node) => (typeof node === "string" ? withContacts(node) : node));
}

function withContacts(text: string): Node[] {
  return text.split(CONTACT).flatMap((part, at) => {
    const href = /@/.test(part) ? "mailto:" + part : "tel:" + part.replace(/[^+\d]/g, "");
    return at % 2 ? { tag: "a", href, children: [part] } : part || [];
  });
}

const inlineOrText = (label: string, depth: number): Node[] => (depth < DEEPEST ? inline(label, false, depth + 1) : [label]);

/** How often the character at `at` is repeated there. */
function runAt(source: string, at: number): number {
  let end = at;
  while (end < source.length && source[end] === source[at]) end++;
  return end - at;
}

/** Where `mark` closes: after a character that is not blank, not as part of another mark, or -1. */
function closer(source: string, from: number, mark: string): number {
  const char = mark[0] as string;
  for (let at = source.indexOf(char, from); at >= 0; at = source.indexOf(char, at)) {
    const run = runAt(source, at);
    const isInWord = char === "_" && LETTER.test(source[at + run] ?? "");
    if (at > from && /\S/.test(source[at - 1] as string) && !isInWord && (run === mark.length || run === 3)) {
      return at + run - mark.length;
    }
    at += run;
  }
  return -1;
}

/** Without the punctuation that ends a sentence rather than an address; a bracket stays where its twin is inside. */
function withoutFullStop(url: string): string {
  const trimmed = url.replace(/[.,;:!?)]+$/, "");
  return url[trimmed.length] === ")" && trimmed.includes("(") ? trimmed + ")" : trimmed;
}

/** A link holds no other link, as HTML demands. */
function withoutLinks(nodes: Node[]): Node[] {
  return nodes.flatMap((node) =>
    typeof node === "string" || node.tag === "code" ? [node] : node.tag === "a" ? node.children : [{ ...node, children: withoutLinks(node.children) }],
  );
}
