// Runs the widget's own code on written-down cases: `node cases.mjs sse|markdown`, one JSON object a line in and out.
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

async function load(...names) {
  const contents = names.map((name) => `export * from "./${name}";`).join("");
  const resolveDir = fileURLToPath(new URL("src", import.meta.url));
  const { outputFiles } = await build({ stdin: { contents, resolveDir }, bundle: true, write: false, format: "esm" });
  return import("data:text/javascript;base64," + Buffer.from(outputFiles[0].contents).toString("base64"));
}

/** In: {id, chunks_b64, repeat_b64, repeat_times, max_chars}. Out: {id, events, retry, error}. */
async function sse() {
  const { emptyCarry, feed } = await load("sse");
  return ({ id, chunks_b64, repeat_b64, repeat_times, max_chars }) => {
    const decoder = new TextDecoder();
    const events = [];
    let carry = emptyCarry;
    let error = null;
    const read = (chunk) => {
      let frames;
      [carry, frames] = feed(carry, decoder.decode(Buffer.from(chunk, "base64"), { stream: true }), max_chars);
      events.push(...frames);
    };
    try {
      for (const chunk of chunks_b64) read(chunk);
      for (let n = 0; n < repeat_times; n++) read(repeat_b64);
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      error = "too long";
    }
    return { id, events, retry: carry.retry ?? null, error };
  };
}

/** In: {id, text}. Out: {id, tags, links}: what drawing the text, and every prefix of it as it streams, asks a page for. */
async function markdown() {
  const { parseMarkdown, safeLink } = await load("markdown", "safe_link");
  return ({ id, text }) => {
    const tags = new Set();
    const links = new Set();
    const visit = (node) => {
      if (typeof node === "string") return;
      tags.add(node.tag);
      if (node.tag === "a") links.add(safeLink(node.href ?? "")?.href ?? "");
      node.children.forEach(visit);
    };
    for (let end = 1; end <= text.length; end++) parseMarkdown(text.slice(0, end), true).forEach(visit);
    parseMarkdown(text).forEach(visit);
    return { id, tags: [...tags], links: [...links].filter(Boolean) };
  };
}

const run = await { sse, markdown }[process.argv[2]]();
for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(run(JSON.parse(line))));
