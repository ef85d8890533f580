import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMarkdown, type Element, type Node } from "./markdown.js";

/** A tree in one line: tag(children), links with their address. */
function show(nodes: Node[]): string {
  return nodes
    .map((node) =>
      typeof node === "string"
        ? node
        : `${node.tag}${node.start && node.start !== 1 ? node.start : ""}${node.href === undefined ? "" : `<${node.href}>`}(${show(node.children)})`,
    )
    .join("");
}

const CASES: [why: string, text: string, expected: string][] = [
  ["plain text is a paragraph", "Hello there.", "p(Hello there.)"],
  ["a blank line parts paragraphs", "One.\n\nTwo.", "p(One.)p(Two.)"],
  ["a single line end is kept", "One.\nTwo.", "p(One.br()Two.)"],
  ["bold and italics nest", "**a *b* c** and ***d***", "p(strong(a em(b) c) and strong(em(d)))"],
  ["underscores inside words are text", "snake_case_name and __init__", "p(snake_case_name and strong(init))"],
  ["stars between blanks are text", "2 * 3 * 4 = 24", "p(2 * 3 * 4 = 24)"],
  ["an unclosed mark is text in the end", "a **b", "p(a **b)"],
  ["code is taken literally", "use `a **b** [1]` now", "p(use code(a **b** [1]) now)"],
  ["double backticks hold one", "``a ` b``", "p(code(a ` b))"],
  ["headings skip no level, wherever they start", "# A\n## B\n#### C", "h3(A)h4(B)h4(C)"],
  ["lists", "- a\n- b\n\nafter", "ul(li(a)li(b))p(after)"],
  ["lists nest", "- a\n  - b\n    - c\n- d", "ul(li(aul(li(bul(li(c)))))li(d))"],
  ["numbered lists keep their start", "3. c\n4. d", "ol3(li(c)li(d))"],
  ["a loose list stays one list", "1. a\n\n2. b", "ol(li(a)li(b))"],
  ["an item may hold a code block", "1. run\n   ```\n   make\n   ```\n2. done", "ol(li(runpre(make))li(done))"],
  ["a list may follow a line of text", "Steps:\n- a", "p(Steps:)ul(li(a))"],
  ["code blocks", "```js\nlet a = 1;\n\n<b>\n```\nafter", "pre(let a = 1;\n\n<b>)p(after)"],
  ["quotes", "> a\n> b", "blockquote(p(abr()b))"],
  ["rules", "a\n\n---\n\nb", "p(a)hr()p(b)"],
  ["tables", "| A | B |\n|---|:-:|\n| 1 | `x|y` |\n| 2 |", "table(tr(th(A)th(B))tr(td(1)td(code(x|y)))tr(td(2)))"],
  ["tables without outer bars", "A | B\n--- | ---\n1 | 2\n\nend", "table(tr(th(A)th(B))tr(td(1)td(2)))p(end)"],
  ["an empty cell keeps its place", "|A|B|C|\n|-|-|-|\n|1||3|", "table(tr(th(A)th(B)th(C))tr(td(1)td()td(3)))"],
  ["links", "[the **docs**](https://a.example/x_(y)?b=1 \"t\")", "p(a<https://a.example/x_(y)?b=1>(the strong(docs)))"],
  ["bare addresses leave the full stop", "See https://a.example/b. (https://c.example/d_(e))", "p(See a<https://a.example/b>(https://a.example/b). (a<https://c.example/d_(e)>(https://c.example/d_(e))))"],
  ["mail addresses and telephone numbers are links", "Write to *help_us@a.example* or call +43 (316) 12-34, 0800 123 456 7.", "p(Write to em(a<mailto:help_us@a.example>(help_us@a.example)) or call a<tel:+433161234>(+43 (316) 12-34), a<tel:08001234567>(0800 123 456 7).)"],
  ["dates, orders, handles, prices and code are none", "01/02/2026, 0123456789, @ada, 1 000 000, UTC+01:00, 4+12345678, `a@b.example`", "p(01/02/2026, 0123456789, @ada, 1 000 000, UTC+01:00, 4+12345678, code(a@b.example))"],
  ["a link to another place holds no address", "[a@b.example](https://c.example)", "p(a<https://c.example>(a@b.example))"],
  ["a link holds no link", "[https://a.example](https://b.example)", "p(a<https://b.example>(https://a.example))"],
  ["numbers of sources", "True [1], also [2][3] and [4, 5].", "p(True cite(1), also cite(2)cite(3) and cite(4)cite(5).)"],
  ["a number with an address is a link", "[1](https://a.example)", "p(a<https://a.example>(1))"],
  ["pictures become their description", "![a logo](https://evil.example/p.png?d=1)", "p(a logo)"],
  ["HTML is text", "<img src=x onerror=alert(1)><script>x</script>", "p(<img src=x onerror=alert(1)><script>x</script>)"],
  ["escaped marks are text", "\\*a\\* \\[1] \\\\ C:\\dir", "p(*a* [1] \\ C:\\dir)"],
  ["Windows line ends", "- a\r\n- b", "ul(li(a)li(b))"],
];

for (const [why, text, expected] of CASES) test(`Markdown: ${why}`, () => assert.equal(show(parseMarkdown(text)), expected));

const HALVES: [text: string, expected: string][] = [
  ["a **bo", "p(a strong(bo))"],
  ["a **", "p(a )"],
  ["a **bold*", "p(a strong(bold))"],
  ["see [the do", "p(see the do)"],
  ["see [the docs](https://a.exam", "p(see the docs)"],
  ["true [1", "p(true )"],
  ["true [", "p(true )"],
  ["![lo", ""],
  ["![logo](https://evil.example/p.p", ""],
  ["go to https://a.exa", "p(go to https://a.exa)"],
  ["run `npm i", "p(run code(npm i))"],
  ["run `", "p(run )"],
  ["text\n-", "p(text)"],
  ["text\n##", "p(text)"],
  ["text\n``", "p(text)"],
  ["1", ""],
  ["- a\n-", "ul(li(a)li())"],
  ["| A | B", "table(tr(th(A)th(B)))"],
  ["| A | B |\n|--", "table(tr(th(A)th(B)))"],
  ["```\ncode\n``", "pre(code)"],
];

for (const [text, expected] of HALVES) {
  test(`half an answer shows no half marks: ${JSON.stringify(text)}`, () => {
    const drawn = show(parseMarkdown(text, true));
    assert.equal(drawn === "p()" ? "" : drawn, expected);
  });
}

const RICH = `## Title

A **bold** and *soft* and ~~gone~~ word, \`code\`, a [link](https://a.example/b) and sources [1][2].

1. one
   - deeper
2. two

- [x] done
- [ ] open

| A | B |
|---|---|
| 1 | **2** |

\`\`\`py
print("no")
\`\`\`

> quoted ![x](https://evil.example/x.png) https://b.example/c.`;

function walk(nodes: Node[], visit: (node: Element) => void): void {
  for (const node of nodes) if (typeof node !== "string") (visit(node), walk(node.children, visit));
}

test("no prefix of an answer invents a link or loses what stood before", () => {
  const addresses = new Set(["https://a.example/b", "https://b.example/c"]);
  for (let end = 0; end <= RICH.length; end++) {
    const blocks = parseMarkdown(RICH.slice(0, end), true);
    walk(blocks, (node) => node.tag === "a" && assert.ok(addresses.has(node.href ?? ""), `${end}: ${node.href}`));
    const text = show(blocks);
    assert.ok(!/\*\*|~|\]\(|\[[ x]|`/.test(text), `${end}: ${text}`);
  }
});

test("a finished block keeps its source, so that it is not drawn again", () => {
  const before = parseMarkdown("First.\n\nSecond", true);
  const after = parseMarkdown("First.\n\nSecond and more", true);
  assert.equal(before[0]?.source, after[0]?.source);
  assert.notEqual(before[1]?.source, after[1]?.source);
});

const HOSTILE = ["[".repeat(8000), "*".repeat(8000), "**a ".repeat(2000), "`a".repeat(4000), "> ".repeat(4000), "- ".repeat(4000), "[a](".repeat(2000), "_a".repeat(4000), "|".repeat(8000), "![".repeat(4000)];

for (const text of HOSTILE) {
  test(`hostile text costs little time: ${text.slice(0, 8)} …`, () => {
    const start = performance.now();
    parseMarkdown(text, true);
    parseMarkdown(text);
    assert.ok(performance.now() - start < 500, `${performance.now() - start} ms`);
  });
}
