// Fails when a shipped script is heavier than a page should bear.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

// people.js carries the hash of each script that it loads, 100 bytes that nothing compresses: 256 more for what is asked to be confirmed.
const LIMIT_BYTES = { "widget.js": 7_936, "panel.js": 15_872, "people.js": 6_656, "page.js": 2_432, "past.js": 2_048, "proof.js": 2_048, "confirm.js": 3_072, "code.js": 4_096, "search.js": 9_216, "inline.js": 8_448, "invite.js": 3_328, "webmcp.js": 1_024, "docent-client.js": 4_096 };
for (const [name, limit] of Object.entries(LIMIT_BYTES)) {
  const script = await readFile(new URL("dist/" + name, import.meta.url));
  const gzipped = gzipSync(script, { level: 9 }).length;
  console.log(`${name}: ${script.length} bytes, ${gzipped} gzipped (limit ${limit})`);
  if (gzipped > limit) process.exitCode = 1;
}
