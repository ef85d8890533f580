/** Milliseconds before try number `tries` (from 0): half a second, doubled up to eight, less up to a third so that
 * visitors who were cut together do not come back together. `random` lies in [0, 1). */
export function backoffMs(tries: number, random = Math.random()): number {
  return Math.min(500 * 2 ** tries, 8000) * (1 - random / 3);
}
