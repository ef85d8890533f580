import type { Challenge } from "./contract.js";

/** The number that the challenge asks for, -1 where there is none; `progress` may end the search by giving true.
 *
 * It stands alone, for its text becomes a worker's. SHA-256 (FIPS 180-4) by hand: pages over plain http have no `crypto.subtle`,
 * which is slower for texts this short as well. Takes texts of one block alone, up to 55 bytes. */
export function search({ salt, challenge, maxnumber }: Challenge, from: number, count: number): number {
  const roots: number[] = [];
  const start: number[] = [];
  const part = (value: number): number => ((value % 1) * 0x100000000) | 0;
  for (let candidate = 2; roots.length < 64; candidate++) {
    let isPrime = true;
    for (let by = 2; by * by <= candidate; by++) if (candidate % by === 0) isPrime = false;
    if (!isPrime) continue;
    if (start.length < 8) start.push(part(Math.sqrt(candidate)));
    roots.push(part(Math.cbrt(candidate)));
  }
  const k = Int32Array.from(roots);
  const wanted = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => parseInt(challenge.slice(at * 8, at * 8 + 8), 16) | 0);
  const w = new Int32Array(64);
  const block = new Uint8Array(64);
  const view = new DataView(block.buffer);
  for (let at = 0; at < salt.length; at++) block[at] = salt.charCodeAt(at);
  const end = Math.min(from + count, maxnumber + 1);
  for (let number = from; number < end; number++) {
    const digits = String(number);
    const length = salt.length + digits.length;
    for (let at = 0; at < digits.length; at++) block[salt.length + at] = digits.charCodeAt(at);
    block.fill(0, length);
    block[length] = 128;
    view.setUint32(60, length * 8);
    for (let at = 0; at < 16; at++) w[at] = view.getInt32(at * 4);
    for (let at = 16; at < 64; at++) {
      const x = w[at - 15]!;
      const y = w[at - 2]!;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[at] = w[at - 16]! + s0 + w[at - 7]! + s1;
    }
    let [a, b, c, d, e, f, g, h] = start as [number, number, number, number, number, number, number, number];
    for (let at = 0; at < 64; at++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[at]! + w[at]!) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    if (((a + start[0]!) | 0) !== wanted[0]) continue;
    const found = [a, b, c, d, e, f, g, h].every((each, at) => ((each + start[at]!) | 0) === wanted[at]);
    if (found) return number;
  }
  return -1;
}
