/** Contrast by WCAG 2.2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */

export type Rgb = readonly [number, number, number];

/** "#rrggbb"; anything else is null, so that no theme can write CSS of its own. */
export function parseHex(text: string): Rgb | null {
  if (!/^#[\da-f]{6}$/i.test(text)) return null;
  const at = (index: number): number => parseInt(text.slice(index, index + 2), 16);
  return [at(1), at(3), at(5)];
}

/** As CSS writes it. */
export function toCss(rgb: Rgb): string {
  return `rgb(${rgb.join()})`;
}

function luminance(rgb: Rgb): number {
  const linear = (part: number): number => (part <= 10.31 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
}

export function contrast(a: Rgb, b: Rgb): number {
  const ratio = (luminance(a) + 0.05) / (luminance(b) + 0.05);
  return Math.max(ratio, 1 / ratio);
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
  let mixed = color;
  for (let share = 0; share < 1 && contrast(mixed, background) < ratio; share += 0.05) {
    const mix = (n: 0 | 1 | 2): number => Math.round(color[n] + (goal[n] - color[n]) * share);
    mixed = [mix(0), mix(1), mix(2)];
  }
  return mixed;
}
