import { parseHex, readable, textOn, toCss, type Rgb } from "./color.js";

const FALLBACK: Rgb = [43, 89, 195];
/** The surfaces that text of the theme's colour stands on, light and dark; keep in step with frame.css. */
const LIGHT: Rgb = [240, 242, 246];
const DARK: Rgb = [42, 46, 54];

export interface Look {
  color: string | null | undefined;
  radius: number | null | undefined;
  isLeft: boolean;
  /** Launchers already in this corner. */
  above: number;
  /** What one rem is in the visitor's browser, as CSS writes it; pages often have another one. */
  rem: string;
}

/** One rem of the browser, whatever size the page's root has: the host begins with the initial font of the visitor. */
export function remOf(host: HTMLElement): string {
  return getComputedStyle(host).fontSize;
}

/** Whether the widget stands at the left: where the website's own tag says so, else on the agent's side, which is the other one
 * in languages that are read from right to left. */
export function isAtLeft(tag: string | undefined, agent: string | null | undefined, direction: string): boolean {
  return tag ? tag === "left" : (agent === "left") !== (direction === "rtl");
}

/** A style sheet of variables: everything that differs from agent to agent. */
export function themeCss({ color, radius, isLeft, above, rem }: Look): string {
  const primary = parseHex(color ?? "") ?? FALLBACK;
  return (
    `:host{--p:${toCss(primary)};--on:${toCss(textOn(primary))};` +
    `--ink-l:${toCss(readable(primary, LIGHT))};--ink-d:${toCss(readable(primary, DARK))};` +
    `--round:${Math.min(Number(radius ?? 18) || 0, 32)}px;--above:calc(${above * 4.5}*var(--rem));--rem:${rem};` +
    (isLeft ? "--left:20px;--right:auto}" : "--left:auto;--right:20px}")
  );
}
