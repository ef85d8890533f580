// Fails when the shipped script is heavier than a page should bear.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const LIMIT_BYTES = 15_360;
const script = await readFile(new URL("dist/widget.js", import.meta.url));
const gzipped = gzipSync(script, { level: 9 }).length;
console.log(`widget.js: ${script.length} bytes, ${gzipped} gzipped (limit ${LIMIT_BYTES})`);
if (gzipped > LIMIT_BYTES) process.exitCode = 1;
