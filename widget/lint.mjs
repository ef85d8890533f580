// Refuses what a strict content security policy, or a careful reader, would refuse.
import { readdirSync, readFileSync } from "node:fs";

const REFUSED = [
  [/\.(innerHTML|outerHTML)\b|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment/, "build nodes, never parse HTML"],
  [/\beval\(|new Function\b|setTimeout\(\s*["'`]/, "no code from text"],
  [/\.style\b|\bstyle:|setAttribute\("style"/, "styles live in widget.css"],
  [/document\.cookie|sessionStorage|indexedDB/, "the store is the only thing kept"],
  [/postMessage/, "no messages between windows"],
];
const src = new URL("src/", import.meta.url);
for (const name of readdirSync(src).filter((each) => each.endsWith(".ts") && !each.endsWith(".test.ts"))) {
  readFileSync(new URL(name, src), "utf8")
    .split("\n")
    .forEach((line, at) => {
      for (const [pattern, reason] of REFUSED) {
        if (!pattern.test(line)) continue;
        console.error(`src/${name}:${at + 1}: ${reason}: ${line.trim()}`);
        process.exitCode = 1;
      }
    });
}
