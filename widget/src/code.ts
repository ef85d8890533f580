/** What only visitors load to whom an answer shows code in a language: the colours of it. */
import css from "./code.css";
import { tokensOf } from "./code_tokens.js";
import { fill, h } from "./element.js";
import type { PartScript } from "./part_file.js";

/** Colours a block of code that is on the page; its text stays as it is. */
export type PaintCode = (code: HTMLElement, language: string) => void;

/** What is longer is read by few, and would be drawn anew with each word that comes. */
const MAX_CHARS = 20_000;

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

const paintCode: PaintCode = (code, language) => {
  const text = code.textContent ?? "";
  const tokens = text.length <= MAX_CHARS && tokensOf(text, language);
  // What was drawn anew meanwhile is painted by itself.
  if (!tokens || !code.isConnected) return;
  const shadow = code.getRootNode() as ShadowRoot;
  if (!shadow.adoptedStyleSheets.includes(sheet)) shadow.adoptedStyleSheets.push(sheet);
  fill(code, ...tokens.map(([part, kind]) => (kind ? h("span", { class: "code-" + kind }, part) : part)));
};

(document.currentScript as PartScript<PaintCode>).exported = paintCode;
