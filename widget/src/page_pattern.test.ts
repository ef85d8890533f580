import assert from "node:assert/strict";
import { test } from "node:test";
import { fits, isMeant } from "./page_pattern.js";

// As `matches_pattern` of the crawler has it: an operator writes the same pattern for a source and for an invitation.
const CASES: [pattern: string, text: string, fits: boolean][] = [
  ["/help/*", "/help/returns", true],
  ["/help/*", "/help/", true],
  ["/help/*", "/help", false],
  ["/help", "/help", true],
  ["/help", "/help/returns", false],
  ["*", "/", true],
  ["*.html", "/a.html", true],
  ["*.html", "/a.html?b=1", false],
  ["*lang=de*", "/a?lang=de", true],
  ["/*/shop/*", "/en/shop/shoes", true],
  ["/*/shop/*", "/shop/shoes", false],
  ["/a*a", "/a", false],
  ["/a*b*b", "/ab", false],
  ["/a*b*b", "/abb", true],
  ["/a.c", "/abc", false],
];

for (const [pattern, text, expected] of CASES) {
  test(`${pattern} ${expected ? "fits" : "does not fit"} ${text}`, () => assert.equal(fits(pattern, text), expected));
}

test("a pattern that a careless matcher takes minutes for is told at once", () => {
  const started = performance.now();
  assert.equal(fits("*a".repeat(200) + "b", "a".repeat(5_000)), false);
  assert.ok(performance.now() - started < 1_000);
});

test("without patterns every page is meant, and with some the query counts", () => {
  const page = { pathname: "/shop", search: "?lang=de" };
  assert.deepEqual([isMeant([], page), isMeant(["/shop"], page), isMeant(["/other", "/shop?*"], page)], [true, false, true]);
});
