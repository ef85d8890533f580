import { parseHex, readable, textOn, toHex, type Rgb } from "./color.js";

const FALLBACK: Rgb = [43, 89, 195];
/** The surfaces that text of the theme's colour stands on, light and dark; keep in step with widget.css. */
const LIGHT: Rgb = [240, 242, 246];
const DARK: Rgb = [42, 46, 54];

export interface Look {
  color: string | null | undefined;
  radius: number | null | undefined;
  side: "left" | "right";
  /** Launchers already in this corner. */
  above: number;
}

/** A style sheet of variables: everything that differs from agent to agent. */
export function themeCss({ color, radius, side, above }: Look): string {
  const primary = parseHex(color ?? "") ?? FALLBACK;
  const round = typeof radius === "number" && radius >= 0 ? Math.min(radius, 32) : 18;
  return (
    `:host{--p:${toHex(primary)};--on:${toHex(textOn(primary))};` +
    `--ink-l:${toHex(readable(primary, LIGHT))};--ink-d:${toHex(readable(primary, DARK))};` +
    `--round:${round}px;--above:${above * 72}px;` +
    (side === "left" ? "--left:20px;--right:auto;--origin:0 100%}" : "--left:auto;--right:20px;--origin:100% 100%}")
  );
}
