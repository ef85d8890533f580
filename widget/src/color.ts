/** Contrast by WCAG 2.2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */

export type Rgb = readonly [number, number, number];

/** "#rgb" or "#rrggbb"; anything else is null, so that no theme can write CSS of its own. */
export function parseHex(text: string): Rgb | null {
  const match = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(text.trim());
  if (!match) return null;
  const hex = match[1] as string;
  const wide = hex.length === 3 ? hex.replace(/./g, "$&$&") : hex;
  return [0, 2, 4].map((at) => parseInt(wide.slice(at, at + 2), 16)) as unknown as Rgb;
}

export function toHex(rgb: Rgb): string {
  return "#" + rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => {
    const s = part / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** Black or white, whichever reads better on `background`; one of the two always reaches 4.5:1. */
export function textOn(background: Rgb): Rgb {
  return contrast(WHITE, background) >= 4.5 ? WHITE : BLACK;
}

/** `color`, moved toward black or white just far enough to reach `ratio` on `background`. */
export function readable(color: Rgb, background: Rgb, ratio = 4.5): Rgb {
  const goal = textOn(background);
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = color.map((part, at) => part + ((goal[at] as number) - part) * share) as unknown as Rgb;
    // Rounded, because that is the colour that gets drawn.
    if (contrast(parseHex(toHex(mixed)) as Rgb, background) >= ratio) return mixed;
  }
  return goal;
}
