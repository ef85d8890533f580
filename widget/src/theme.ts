import { parseHex, readable, textOn, toCss, type Rgb } from "./color.js";

const FALLBACK: Rgb = [43, 89, 195];
/** The surfaces that text of the theme's colour stands on, light and dark; keep in step with frame.css. */
const LIGHT: Rgb = [240, 242, 246];
const DARK: Rgb = [42, 46, 54];

export interface Look {
  color: string | null | undefined;
  radius: number | null | undefined;
  position: string | null | undefined;
  /** Launchers already in this corner. */
  above: number;
}

/** A style sheet of variables: everything that differs from agent to agent. */
export function themeCss({ color, radius, position, above }: Look): string {
  const primary = parseHex(color ?? "") ?? FALLBACK;
  return (
    `:host{--p:${toCss(primary)};--on:${toCss(textOn(primary))};` +
    `--ink-l:${toCss(readable(primary, LIGHT))};--ink-d:${toCss(readable(primary, DARK))};` +
    `--round:${Math.min(Number(radius ?? 18) || 0, 32)}px;--above:${above * 72}px;` +
    (position?.includes("left") ? "--left:20px;--right:auto}" : "--left:auto;--right:20px}")
  );
}
