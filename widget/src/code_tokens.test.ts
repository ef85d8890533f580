import assert from "node:assert/strict";
import { test } from "node:test";
import { tokensOf } from "./code_tokens.js";

/** The code with what was found in it: [comment …], and so on by the first letter. */
function show(code: string, language: string): string {
  return tokensOf(code, language)!
    .map(([text, kind]) => (kind ? `‹${kind[0]}:${text}›` : text))
    .join("");
}

const CASES: [language: string, code: string, expected: string][] = [
  ["bash", "curl -H \"Accept: $T\" $URL # go", '‹›curl ‹n:-H› ‹s:"Accept: $T"› ‹n:$URL› ‹c:# go›'],
  ["sh", "A=1\nif [ -f x ]; then echo 'a\nb'; fi", "‹n:A›=‹n:1›\n‹k:if› [ ‹n:-f› x ]; ‹k:then› ‹k:echo› ‹s:'a\nb'›; ‹k:fi›"],
  ["console", "$ make\nI don't know\nok", "$ make\nI don‹s:'t know›\nok"],
  ["js", "const a = `x${1}`; // b\nf(2.5e3)", "‹k:const› a = ‹s:`x${1}`›; ‹c:// b›\n‹n:f›(‹n:2.5e3›)"],
  ["js", "x = a / b / c; y = /[/\"]'/g.test(z)", "x = a / b / c; y = ‹s:/[/\"]'/g›.‹n:test›(z)"],
  ["js", "o = { type: 1 }; o.if = 2", "o = { type: ‹n:1› }; o.if = ‹n:2›"],
  ["tsx", "type Name = string;", "‹k:type› Name = ‹k:string›;"],
  ["python", 'def f(x):\n    """a\n    "b" """\n    return rb"x" + 0x1F', '‹k:def› ‹n:f›(x):\n    ‹s:"""a\n    "b" """›\n    ‹k:return› ‹s:rb"x"› + ‹n:0x1F›'],
  ["py", "@app.get\nif x: pass # y", "‹n:@app.get›\n‹k:if› x: ‹k:pass› ‹c:# y›"],
  ["json", '{"a:b": "c:d", "e": [true, -1.5]}', '{‹n:"a:b"›: ‹s:"c:d"›, ‹n:"e"›: [‹k:true›, -‹n:1.5›]}'],
  ["yaml", "on: # x\n  - name: it's on\n    port: 80\n    ok: on\nurl: http://a#b", "‹n:on›: ‹c:# x›\n  - ‹n:name›: it‹s:'s on›\n    ‹n:port›: ‹n:80›\n    ‹n:ok›: ‹k:on›\n‹n:url›: http://a#b"],
  ["toml", "[a.b] # c\nx = \"y\"\n[[d]]\nz = true", "‹k:[a.b]› ‹c:# c›\n‹n:x› = ‹s:\"y\"›\n‹k:[[d]]›\n‹n:z› = ‹k:true›"],
  ["ini", "; c\n[a]\nb=1", "‹c:; c›\n‹k:[a]›\n‹n:b›=‹n:1›"],
  ["html", "<!-- a --><p class=\"b\" id='c'>It's 5 &amp; up</p>", "‹c:<!-- a -->›‹k:<p› ‹n:class›=‹s:\"b\"› ‹n:id›=‹s:'c'›‹k:>›It's 5 ‹n:&amp;› up‹k:</p›‹k:>›"],
  ["html", "<script>let a = 1;</script><style>a { color: #fff }</style>", "‹k:<script›‹k:>›‹k:let› a = ‹n:1›;‹k:</script›‹k:>›‹k:<style›‹k:>›a { ‹n:color›: ‹n:#fff› }‹k:</style›‹k:>›"],
  ["css", "@media x { a:hover { width: 1.5rem; --b: 2 } } /* c */", "‹k:@media› x { a:hover { ‹n:width›: ‹n:1.5rem›; ‹n:--b›: ‹n:2› } } ‹c:/* c */›"],
  ["sql", "SELECT count(*) FROM a WHERE b = 'it''s' -- c", "‹k:SELECT› ‹n:count›(*) ‹k:FROM› a ‹k:WHERE› b = ‹s:'it''s'› ‹c:-- c›"],
  ["go", "func main() { s := `a\n\"` } // b", "‹k:func› ‹n:main›() { s := ‹s:`a\n\"`› } ‹c:// b›"],
  ["rust", "fn f<'a>(x: &'a str) -> char { 'x' } // r\nlet s = r#\"a\"b\"#;", "‹k:fn› f<‹n:'a›>(x: &‹n:'a› ‹k:str›) -> ‹k:char› { ‹s:'x'› } ‹c:// r›\n‹k:let› s = ‹s:r#\"a\"b\"#›;"],
  ["java", "@Override public int f() { return 10L; } /* a\nb */", "‹n:@Override› ‹k:public› ‹k:int› ‹n:f›() { ‹k:return› ‹n:10L›; } ‹c:/* a\nb */›"],
  ["c++", "#include <a>\nint x = 0x1F;", "‹k:#include› <a>\n‹k:int› x = ‹n:0x1F›;"],
  ["php", "<?php echo \"a $b\"; # c", "‹k:<?php› ‹k:echo› ‹s:\"a $b\"›; ‹c:# c›"],
  ["ruby", "def a(b) = puts \"c #{d}\", :e # f", "‹k:def› ‹n:a›(b) = ‹k:puts› ‹s:\"c #{d}\"›, ‹s::e› ‹c:# f›"],
  ["diff", "@@ -1 +1 @@\n-a\n+b\n c", "‹k:@@ -1 +1 @@›\n‹c:-a›\n‹s:+b›\n c"],
];

for (const [language, code, expected] of CASES) {
  test(`${language}: ${code.replace(/\n/g, "⏎")}`, () => assert.equal(show(code, language), expected.replace("‹›", "")));
}

test("a language that is not known is not coloured", () => {
  for (const language of ["", "brainfuck", "constructor", "__proto__"]) assert.equal(tokensOf("a", language), undefined);
});

test("every prefix keeps every character, in every language", () => {
  const code = CASES.map(([, each]) => each).join("\n") + "\\";
  for (const [language] of CASES) {
    for (let end = 0; end <= code.length; end += 7) {
      const start = code.slice(0, end);
      assert.equal(tokensOf(start, language)!.map(([text]) => text).join(""), start);
    }
  }
});

test("a code made to take long takes time that grows with its length", () => {
  const parts = ["'", '"', "`", "<a '", "<script>", "a", " ", "\t", "/*", "{ ", "- ", "a.", "1", "[", "#", "=\"", "\\", "r#", "(/"];
  for (const [language] of CASES) {
    for (const part of parts) {
      const code = part.repeat(10_000 / part.length);
      const begin = process.cpuUsage();
      tokensOf(code, language);
      const { user } = process.cpuUsage(begin);
      assert.ok(user < 500_000, `${language}: ${part} took ${user / 1000} ms`);
    }
  }
});
