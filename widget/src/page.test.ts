import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import ENGLISH_FOR_FRAME from "docent:english-frame";
import ENGLISH_FOR_CONFIRM from "docent:english-confirm";
import ENGLISH_FOR_PAST from "docent:english-past";
import ENGLISH_FOR_PEOPLE from "docent:english-people";
import { backoffMs } from "./backoff.js";
import { uuid } from "./ids.js";
import { readOptions } from "./options.js";
import { pageAddress } from "./page_address.js";
import { cutToBytes } from "./page_context.js";
import { P, textOf } from "./people_words.js";
import { safeLink } from "./safe_link.js";
import { isAtLeft, themeCss } from "./theme.js";
import { LANGUAGES, speechFor } from "./speech.js";
import { ENGLISH, failureText, W, type Words } from "./words.js";

test("a page's address loses its fragment and what reads like a secret", () => {
  assert.equal(
    pageAddress("https://u:p@shop.example/a?id=7&token=x&reset_password_token=y&email=z&q=shoes#top"),
    "https://shop.example/a?id=7&q=shoes",
  );
});

test("page text is cut between characters, never inside one", () => {
  assert.equal(cutToBytes("aé😀", 3), "aé");
  assert.equal(cutToBytes("aé😀", 6), "aé");
  assert.equal(cutToBytes("aé😀", 7), "aé😀");
});

for (const href of ["javascript:alert(1)", "JaVa\tScript:alert(1)", "data:text/html,x", "//evil.example", "/path", "ftp://a.example", "https://good.example@evil.example/", "https://", "http://[", "vbscript:x", "mailto", "telnet://a", "telx:1", " https://a.example"]) {
  test(`no link leads to ${JSON.stringify(href)}`, () => assert.equal(safeLink(href), null));
}

test("web addresses are links", () => assert.equal(safeLink("HTTPS://A.example/b c?d")?.href, "https://a.example/b%20c?d"));

for (const href of ["mailto:help@a.example", "tel:+353209150123"]) {
  test(`${href} is a link`, () => assert.equal(safeLink(href)?.href, href));
}

test("waiting doubles up to eight seconds, and less by chance", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 9].map((tries) => backoffMs(tries, 0)), [500, 1000, 2000, 4000, 8000, 8000, 8000]);
  assert.ok(backoffMs(9, 0.999) > 5300);
});

test("turn ids are UUIDs", () => {
  assert.match(uuid(), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.notEqual(uuid(), uuid());
});

test("the script tag's attributes are read, the rest has defaults", () => {
  const src = "https://chat.example/widget/widget.js?v=1";
  assert.equal(readOptions({}, src, "en"), null);
  const plain = readOptions({ agent: " a1 " }, src, "de-CH");
  assert.deepEqual([plain?.agentId, plain?.base, plain?.files, plain?.locale, plain?.pageContext, plain?.open], ["a1", "https://chat.example", "https://chat.example/widget/", "de-CH", true, false]);
  assert.equal(readOptions({ agent: "a", pageContext: "off" }, src, "")?.pageContext, false);
});

test("the API is where the script comes from, a prefix before it included", () => {
  const base = (src: string) => readOptions({ agent: "a" }, src, "en")?.base;
  assert.equal(base("https://www.example.com/docent/widget/widget.0123456789abcdef.js"), "https://www.example.com/docent");
});

test("a theme can only set what it may", () => {
  const css = themeCss({ color: "#fff}*{color:red", radius: 900, isLeft: true, above: 1, rem: "16px" });
  assert.ok(!css.includes("red"));
  assert.match(css, /--round:32px;--above:calc\(4\.5\*var\(--rem\)\);--rem:16px;--left:20px/);
});

test("the widget stands where the tag says, else at the agent's side, mirrored where one reads from right to left", () => {
  assert.equal(isAtLeft(undefined, "right", "ltr"), false);
  assert.equal(isAtLeft(undefined, undefined, "rtl"), true);
  assert.equal(isAtLeft(undefined, "left", "rtl"), false);
  assert.equal(isAtLeft("right", "left", "rtl"), false);
});

test("every language has every word", () => {
  const folder = process.cwd().replace(/\/?$/, "/") + "src/words/";
  const read = (language: string) => JSON.parse(readFileSync(`${folder}${language}.json`, "utf8")) as Record<string, string>;
  const english = read("en");
  const frame = Object.values({ ...ENGLISH, ...ENGLISH_FOR_FRAME });
  assert.deepEqual([...frame, ...ENGLISH_FOR_PEOPLE, ...ENGLISH_FOR_CONFIRM, ...ENGLISH_FOR_PAST], Object.values(english));
  assert.deepEqual(readdirSync(folder).map((name) => name.slice(0, 2)).sort(), [...LANGUAGES, "en"].sort());
  for (const language of LANGUAGES) {
    const words = read(language);
    assert.deepEqual(Object.keys(words).sort(), Object.keys(english).sort(), language);
    assert.ok(Object.values(words).every(Boolean), language);
    // A name stands where the English has one.
    for (const [name, text] of Object.entries(words)) assert.equal(text.includes("{}"), english[name]?.includes("{}"), language + name);
  }
});

test("the words for people come with the others, or are English", () => {
  const german = { ...ENGLISH, [Object.keys(ENGLISH).length + P.joined]: "{} ist jetzt da." } as Words;
  assert.equal(textOf(german, P.joined, "Ann"), "\u2068Ann\u2069 ist jetzt da.");
  assert.equal(textOf(ENGLISH, P.end), "End chat");
});

test("a locale finds its language, its direction, or English", () => {
  assert.deepEqual(speechFor("ar-EG"), { language: "ar", direction: "rtl", chat: "محادثة" });
  for (const locale of ["fa", "he-IL", "ur_PK"]) assert.equal(speechFor(locale).direction, "rtl");
  for (const locale of ["de", "ru", "tr", "xx"]) assert.equal(speechFor(locale).direction, "ltr");
  assert.equal(speechFor("de").language, "de");
  assert.equal(speechFor("xx").language, "en");
});

test("every failure has words, known or not", () => {
  assert.equal(failureText(ENGLISH, "rate_limited"), ENGLISH[W.busy]);
  assert.equal(failureText(ENGLISH, "never_heard_of"), ENGLISH[W.broken]);
  assert.equal(failureText(ENGLISH), ENGLISH[W.broken]);
});
