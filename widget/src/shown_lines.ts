/** What a page shows of its main content, line by line as it is laid out. */

const SKIPPED = "script,style,template,noscript,form,button,nav,dialog,[hidden],[aria-hidden=true]";
/** What is a visitor's own: a line that holds any of it is not sent at all. */
const PRIVATE = "[contenteditable],[data-docent-private],input,textarea,select";
/** On a page that does not say what its main content is. */
const AROUND = "header,footer,aside,[role=navigation],[role=banner],[role=contentinfo],[role=search]";

/** About `enough` characters of it, from the top. */
export function shownLines(document: Document, enough: number): string[] {
  const main = document.querySelector("main,[role=main],article");
  const root = main ?? document.body;
  const skipped = SKIPPED + "," + PRIVATE + (main ? "" : "," + AROUND);
  const lines: string[] = [];
  let line = "";
  let isPrivate = false;
  let count = 0;
  const end = (): void => {
    const text = line.replace(/\s+/g, " ").trim();
    if (text && !isPrivate) {
      lines.push(text);
      count += text.length;
    }
    line = "";
    isPrivate = false;
  };
  const read = (parent: Node): void => {
    for (const node of parent.childNodes) {
      if (count > enough) return;
      if (node instanceof Text) line += node.data;
      if (!(node instanceof Element)) continue;
      const { display } = getComputedStyle(node);
      const isInLine = /^(inline|contents)/.test(display);
      if (!isInLine) end();
      if (node.matches(skipped)) isPrivate ||= isInLine && node.matches(PRIVATE);
      else if (node.matches("br")) line += " ";
      else if (display !== "none") {
        // Boxes in one line stand apart, and so do the cents of a price that are written smaller.
        const isApart = display !== "inline" || node.matches("sup,sub");
        if (isApart) line += " ";
        read(node);
        if (isApart) line += " ";
      }
      if (!isInLine) end();
    }
  };
  if (root && !root.closest(SKIPPED + "," + PRIVATE)) read(root);
  end();
  return lines;
}
