import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { search } from "./proof_work.js";

const challengeOf = (salt: string, number: number) => ({
  algorithm: "SHA-256",
  challenge: createHash("sha256").update(salt + number).digest("hex"),
  maxnumber: 3000,
  salt,
  signature: "",
});

for (const [salt, number] of [
  ["", 0],
  ["0123456789abcdef?expires=1767269700&", 2999],
  ["0123456789abcdef?expires=1767269700&", 3000],
  ["x".repeat(51), 1234],
] as const) {
  test(`the number ${number} is found after a salt of ${salt.length}`, () => {
    assert.equal(search(challengeOf(salt, number), 0, Infinity), number);
  });
}

test("a part of the numbers is searched at a time", () => {
  const challenge = challengeOf("salt", 1500);
  assert.equal(search(challenge, 0, 1500), -1);
  assert.equal(search(challenge, 1500, 1), 1500);
});

test("what no number solves ends", () => {
  assert.equal(search({ ...challengeOf("salt", 1), salt: "other" }, 0, Infinity), -1);
});

test("its text works alone, as in a worker", () => {
  const alone = new Function(`return ${search.toString()}`)() as typeof search;
  assert.equal(alone(challengeOf("salt", 77), 0, Infinity), 77);
});
