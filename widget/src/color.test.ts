import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, parseHex, readable, textOn, toCss, type Rgb } from "./color.js";

const steps = [0, 51, 102, 153, 204, 255];
const everyColor: Rgb[] = steps.flatMap((r) => steps.flatMap((g) => steps.map((b): Rgb => [r, g, b])));

test("black on white is 21 to 1", () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]).toFixed(1), "21.0");
});

test("a grey known to be just readable is", () => {
  assert.ok(contrast(parseHex("#767676") as Rgb, [255, 255, 255]) >= 4.5);
  assert.ok(contrast(parseHex("#777777") as Rgb, [255, 255, 255]) < 4.5);
});

test("text on any theme colour reaches 4.5 to 1", () => {
  for (const color of everyColor) assert.ok(contrast(textOn(color), color) >= 4.5, toCss(color));
});

test("any theme colour becomes readable on light and dark", () => {
  for (const background of ["#f4f5f7", "#24272e"].map((hex) => parseHex(hex) as Rgb)) {
    for (const color of everyColor) assert.ok(contrast(readable(color, background), background) >= 4.5, toCss(color));
  }
});

test("a colour that is readable stays as it is", () => {
  assert.equal(toCss(readable([43, 89, 195], [255, 255, 255])), "rgb(43,89,195)");
});

test("only plain colours are taken from a theme", () => {
  for (const text of ["red", "#12", "#1234567", "#12345g", "#fff}*{display:none", "url(x)", " #ffffff"]) assert.equal(parseHex(text), null);
});
