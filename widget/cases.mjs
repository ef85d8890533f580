// Feeds network reads to the widget's own reader. On stdin one JSON object a line: {id, chunks_b64, repeat_b64, repeat_times,
// max_chars}; on stdout for each {id, events, retry, error}.
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const entry = fileURLToPath(new URL("src/sse.ts", import.meta.url));
const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: "esm" });
const { emptyCarry, feed } = await import("data:text/javascript;base64," + Buffer.from(outputFiles[0].contents).toString("base64"));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, chunks_b64, repeat_b64, repeat_times, max_chars } = JSON.parse(line);
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
  console.log(JSON.stringify({ id, events, retry: carry.retry ?? null, error }));
}
