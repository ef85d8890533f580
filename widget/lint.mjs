// Refuses what a strict content security policy, or a careful reader, would refuse.
import { readdirSync, readFileSync } from "node:fs";

/** What is refused, why, and the files that may have it. */
const REFUSED = [
  [/\.(innerHTML|outerHTML)\b|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment/, "build nodes, never parse HTML"],
  [/\beval\(|new Function\b|setTimeout\(\s*["'`]/, "no code from text"],
  [/\.style\b|\bstyle:|setAttribute\("style"/, "styles live in frame.css and panel.css"],
  [/document\.cookie|indexedDB/, "the store is the only thing kept"],
  [/\b(session|local)Storage\b(?!")/, "the store is the only thing kept", "store.ts"],
  [/postMessage/, "tabs of one website talk by its channel, a worker by its own, windows not at all", "tabs.ts prove.ts confirm.ts"],
];
const FOLDERS = ["src", "packages/client/src", "packages/react/src", "packages/vue/src"];
const sources = FOLDERS.flatMap((folder) => readdirSync(new URL(folder, import.meta.url)).map((name) => [folder, name]));
for (const [folder, name] of sources.filter(([, each]) => each.endsWith(".ts") && !each.endsWith(".test.ts"))) {
  readFileSync(new URL(`${folder}/${name}`, import.meta.url), "utf8")
    .split("\n")
    .forEach((line, at) => {
      for (const [pattern, reason, home] of REFUSED) {
        if (home?.split(" ").includes(name) || !pattern.test(line)) continue;
        console.error(`${folder}/${name}:${at + 1}: ${reason}: ${line.trim()}`);
        process.exitCode = 1;
      }
    });
}
