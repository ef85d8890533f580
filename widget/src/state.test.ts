import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientEvent } from "./client.js";
import type { Session } from "./contract.js";
import { initialState, isRunning, next, turnsOf, type Happening, type State, type Turn } from "./state.js";

const after = (...happenings: Happening[]): State => happenings.reduce(next, initialState);
const asked: Happening = { type: "asked", id: "t1", question: "Why?" };
const heard = (event: ClientEvent): Happening => ({ type: "answered", id: "t1", event });
const token = (text: string): Happening => heard({ event: "token", token: text });
const done = (low_confidence = false, finish = "complete"): Happening =>
  heard({ event: "done", turn_id: "t1", message_id: "m", answered_by: "model", low_confidence, confidence: 1, finish });
const only = (state: State): Turn => state.turns[0] as Turn;

test("tokens grow the answer until the receipt", () => {
  const state = after(asked, heard({ event: "status", stage: "reading" }), token("Be"), token("cause."), done());
  assert.equal(only(state).answer, "Because.");
  assert.equal(only(state).status, "done");
  assert.equal(state.turns.length, 1);
});

test("a low-confidence receipt marks the answer", () => assert.equal(only(after(asked, token("?"), done(true))).isUnsure, true));

test("a receipt says what may be asked next, and so does history", () => {
  const receipt = { ...done(), event: { ...(done() as { event: object }).event, next_questions: ["And then?"] } } as Happening;
  assert.deepEqual(only(after(asked, token("So."), receipt)).further, ["And then?"]);
  const [turn] = turnsOf([
    { id: "m1", role: "visitor", text: "Why?", turn_id: "t1" },
    { id: "m2", role: "agent", text: "So.", turn_id: "t1", next_questions: ["And then?"] },
  ]);
  assert.deepEqual(turn?.further, ["And then?"]);
});

test("there is nothing to rate in a greeting, nor in a question asked back", () => {
  for (const [by, isTalk] of [["small_talk", true], ["clarification", true], ["extractive", false]] as const) {
    const receipt = { ...done(), event: { ...(done() as { event: object }).event, answered_by: by } } as Happening;
    assert.equal(only(after(asked, token("So."), receipt)).isTalk, isTalk, by);
  }
});

test("a server that knows no next questions offers none", () => assert.deepEqual(only(after(asked, token("So."), done())).further, []));

test("an error keeps the text that came before it", () => {
  const turn = only(after(asked, token("Half"), heard({ event: "error", code: "internal", message: "", retryable: true })));
  assert.deepEqual([turn.answer, turn.status, turn.error, turn.retryable], ["Half", "failed", "internal", true]);
});

test("a stopped answer grows no more but takes its sources", () => {
  const citation = { id: 1, url: "https://a.example", title: "A" };
  const turn = only(after(asked, token("Half"), { type: "stopped", id: "t1" }, token(" more"), heard({ event: "citations", citations: [citation] }), done()));
  assert.deepEqual([turn.answer, turn.status, turn.citations.length], ["Half", "stopped", 1]);
});

test("the server's own stop reads stopped", () => assert.equal(only(after(asked, done(false, "stopped"))).status, "stopped"));

test("a lost connection shows until the next event", () => {
  const lost = after(asked, token("a"), heard({ event: "reconnecting" }));
  assert.equal(only(lost).isReconnecting, true);
  assert.equal(only(next(lost, token("b"))).isReconnecting, false);
});

test("a restart begins the answer anew under the same question", () => {
  const turn = only(after(asked, token("lost"), heard({ event: "restart" }), token("new")));
  assert.deepEqual([turn.question, turn.answer], ["Why?", "new"]);
});

test("a retry stands in the place of what failed", () => {
  const failed: Happening = { type: "failed", id: "t1", code: "overloaded", retryable: true };
  const state = after(asked, failed, { type: "retried", id: "t1", newId: "t2" });
  assert.equal(state.turns.length, 1);
  assert.deepEqual([only(state).id, only(state).question, only(state).status], ["t2", "Why?", "waiting"]);
});

test("a question to a paused agent has ways to people, and nothing else that failed has", () => {
  const isUnsure = (code: string) => only(after(asked, { type: "failed", id: "t1", code, retryable: true })).isUnsure;
  assert.deepEqual(["agent_paused", "overloaded"].map(isUnsure), [true, false]);
});

test("a failure after the end changes nothing", () => {
  assert.equal(only(after(asked, done(), { type: "failed", id: "t1", code: "cut", retryable: true })).status, "done");
});

test("changing one's mind about a rating asks for the reason again", () => {
  const turn = only(after(asked, done(), { type: "rated", id: "t1", rating: "down", isCommented: true }, { type: "rated", id: "t1", rating: "up", isCommented: false }));
  assert.deepEqual([turn.rating, turn.isCommented], ["up", false]);
});

const session = (messages: Session["messages"]): Session => ({
  conversation_id: "c",
  visitor_id: "v",
  anonymous_id: "a",
  token: "t",
  expires_at: "2030-01-01T00:00:00Z",
  agent: { id: "agent", name: "Ada" },
  messages,
  has_earlier: false,
});

test("history pairs questions with answers, before what is asked now", () => {
  const state = after(asked, {
    type: "connected",
    session: session([
      { id: "m1", role: "visitor", text: "Old?", turn_id: "t0" },
      { id: "m2", role: "agent", text: "Yes [1]", turn_id: "t0", citations: [{ id: 1, url: "https://a.example", title: "A" }], low_confidence: true },
    ]),
  });
  assert.deepEqual(state.turns.map((turn) => [turn.question, turn.answer, turn.status, turn.isUnsure]), [
    ["Old?", "Yes [1]", "done", true],
    ["Why?", "", "waiting", undefined],
  ]);
});

test("only the newest unanswered question of history may still be running", () => {
  const state = after({
    type: "connected",
    session: session([
      { id: "m1", role: "visitor", text: "One?", turn_id: "t1" },
      { id: "m2", role: "visitor", text: "Two?", turn_id: "t2" },
    ]),
  });
  assert.deepEqual(state.turns.map(isRunning), [false, true]);
});

test("history shows no part of an answer as a whole one", () => {
  const turns = turnsOf([
    { id: "m1", role: "visitor", text: "One?", turn_id: "t1" },
    { id: "m2", role: "agent", text: "Half", turn_id: "t1", finish: "stopped" },
    { id: "m3", role: "visitor", text: "Two?", turn_id: "t2" },
    { id: "m4", role: "agent", text: "Half", turn_id: "t2", finish: "length" },
    { id: "m5", role: "visitor", text: "Three?", turn_id: "t3" },
    { id: "m6", role: "agent", text: "Half", turn_id: "t3", finish: "complete", error_code: "model_interrupted" },
  ]);
  assert.deepEqual(turns.map((turn) => [turn.status, turn.isCut, turn.error, turn.retryable]), [
    ["stopped", false, undefined, undefined],
    ["done", true, undefined, undefined],
    ["failed", false, "model_interrupted", true],
  ]);
});

test("what was asked again stands in history once, with the later answer", () => {
  const turns = turnsOf([
    { id: "m1", role: "visitor", text: "Why?", turn_id: "t1" },
    { id: "m2", role: "agent", text: "Be", turn_id: "t1", error_code: "interrupted" },
    { id: "m3", role: "visitor", text: "Why?", turn_id: "t2" },
    { id: "m4", role: "agent", text: "Because.", turn_id: "t2", finish: "complete" },
  ]);
  assert.deepEqual(turns.map((turn) => [turn.id, turn.answer]), [["t2", "Because."]]);
});

test("reconnecting does not repeat what is already there", () => {
  const known: Happening = { type: "connected", session: session([{ id: "m1", role: "visitor", text: "Why?", turn_id: "t1" }]) };
  assert.equal(after(asked, known, known).turns.length, 1);
});

test("a session renewed leaves the agent, the turns and those before them as they are", () => {
  const known: Happening = {
    type: "connected",
    session: { ...session([{ id: "m1", role: "visitor", text: "Why?", turn_id: "t1" }]), has_earlier: true },
  };
  const older: Happening = { type: "older", messages: [{ id: "m0", role: "visitor", text: "Who?", turn_id: "t0" }], hasEarlier: false };
  const before = after(known, older);
  const renewed = next(before, { ...known, session: { ...known.session, agent: { ...known.session.agent } } });
  assert.equal(renewed.agent, before.agent);
  assert.deepEqual(renewed.turns, before.turns);
  assert.equal(renewed.hasEarlier, false);
});
