import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyCarry, feed, type Frame } from "./sse.js";

function read(...chunks: string[]): Frame[] {
  let carry = emptyCarry;
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  return chunks.flatMap((chunk) => {
    const [rest, frames] = feed(carry, decoder.decode(encoder.encode(chunk), { stream: true }));
    carry = rest;
    return frames;
  });
}

const frame = (data: string, event = "message", id = ""): Frame => ({ event, data, id });

const CASES: [why: string, chunks: string[], expected: Frame[]][] = [
  ["LF ends lines", ["data: a\n\n"], [frame("a")]],
  ["CRLF ends lines", ["data: a\r\n\r\n"], [frame("a")]],
  ["CR ends lines", ["data: a\r\rdata: b\r\r"], [frame("a"), frame("b")]],
  ["CRLF cut between CR and LF", ["data: a\r", "\n\r", "\ndata: b\r\n\r\n"], [frame("a"), frame("b")]],
  ["one blank after the colon is dropped", ["data:a\ndata: b\ndata:  c\n\n"], [frame("a\nb\n c")]],
  ["bare data lines give a newline", ["data\ndata\n\n"], [frame("\n")]],
  ["empty data is still an event", ["data:\n\n"], [frame("")]],
  ["an event without data is forgotten with its name", ["event: x\n\ndata: y\n\n"], [frame("y")]],
  ["the name resets after each event", ["event: token\ndata: 1\n\ndata: 2\n\n"], [frame("1", "token"), frame("2")]],
  ["the last id stays", ["id: 7\ndata: a\n\ndata: b\n\n"], [frame("a", "message", "7"), frame("b", "message", "7")]],
  ["an empty id resets it", ["id: 7\ndata: a\n\nid\ndata: b\n\n"], [frame("a", "message", "7"), frame("b")]],
  ["an id with NUL is ignored", ["id: 1\0\ndata: a\n\n"], [frame("a")]],
  ["comments are skipped", [": ping\n\n: ping\n\ndata: a\n\n"], [frame("a")]],
  ["an unfinished event is dropped", ["data: tail"], []],
  ["an event without its blank line is dropped", ["data: tail\n"], []],
  ["a leading byte order mark is removed", ["\uFEFFdata: a\n\n"], [frame("a")]],
  ["a later byte order mark is part of the name", ["data: a\n\n\uFEFFdata: b\n\n"], [frame("a")]],
  ["field names are exact", ["Data: a\ndata : b\n data: c\ndata: d\n\n"], [frame("d")]],
  ["unknown fields are ignored", ["foo: bar\nretry: 3\ndata: a\n\n"], [frame("a")]],
  ["Unicode line separators are data", ["data: \u2028x\u0085y\n\n"], [frame("\u2028x\u0085y")]],
  ["an empty chunk changes nothing", ["data: a\r", "", "\n\r\n"], [frame("a")]],
];

for (const [why, chunks, expected] of CASES) {
  test(`the reader follows the standard: ${why}`, () => assert.deepEqual(read(...chunks), expected));
}

test("the server may say how long to wait, in digits alone", () => {
  const asked = (value: string) => feed(emptyCarry, "retry: " + value + "\n")[0].retry;
  assert.deepEqual(["3000", "3s", "", "-1"].map(asked), [3000, undefined, undefined, undefined]);
});

test("a frame without an end is given up, in one line or in many", () => {
  for (const piece of ["x", "x\ndata: "]) {
    let carry = emptyCarry;
    const swallow = (): void => {
      for (let n = 0; n < 2000; n++) [carry] = feed(carry, n ? piece : "data: ", 1000);
    };
    assert.throws(swallow, RangeError);
  }
});

test("cutting a stream anywhere changes nothing", () => {
  const stream = "\uFEFF: hi\r\n\r\nid: 1\r\nevent: token\r\ndata: {\"a\":\ndata: 1}\r\n\r\nid: 2\ndata: b\r\rdata: c\n\n";
  const whole = read(stream);
  assert.equal(whole.length, 3);
  for (let at = 0; at <= stream.length; at++) assert.deepEqual(read(stream.slice(0, at), stream.slice(at)), whole);
  assert.deepEqual(read(...stream), whole);
});
