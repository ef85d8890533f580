import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "./failure.js";
import type { PersonAnswer, PersonMessage } from "./person_contract.js";
import { joined, lastNumber, noLine, PersonLine, type Line, type Unsent } from "./person_line.js";

const message = (number: number, author: PersonMessage["author"] = "operator"): PersonMessage => ({
  number,
  author,
  name: author === "operator" ? "Ann" : null,
  text: `text ${number}`,
  created_at: "2026-03-01T10:00:00Z",
});
const answer = (state: PersonAnswer["state"], messages: PersonMessage[] = []): PersonAnswer => ({
  state,
  operator_name: state === "talking" ? "Ann" : null,
  is_overdue: false,
  is_typing: false,
  messages,
  poll_seconds: { none: 0, waiting: 4, talking: 3, ended: 0 }[state],
});
const HELLO: Unsent = { message_id: "id1", text: "Hello" };

/** A line to a server that plays one reply a call and, when it has no more, says nothing. */
function open(replies: (PersonAnswer | Failure)[], unsent: Unsent[] = []) {
  const sent: string[] = [];
  const waits: number[] = [];
  const failures: string[] = [];
  const page = { isHidden: false, wake: (): void => undefined };
  let said: (() => void) | undefined;
  const line = new PersonLine(
    {
      call: async (method, path, body) => {
        sent.push([method, path, body && (body as Unsent).message_id].filter(Boolean).join(" "));
        const reply = replies.shift() ?? (await new Promise<never>(() => said?.()));
        if (reply instanceof Failure) throw reply;
        return Response.json(reply);
      },
      wait: (ms, signal) => {
        waits.push(ms);
        if (!replies.length) said?.();
        // Time passes at once, but for ever is until somebody wakes the page.
        return new Promise((resolve) => {
          page.wake = resolve;
          signal.addEventListener("abort", () => resolve());
          if (ms < 1e6 && replies.length) resolve();
        });
      },
      backoffMs: (tries) => 10 + tries,
      isHidden: () => page.isHidden,
      changed: () => undefined,
      failed: () => failures.push(sent.at(-1) as string),
    },
    unsent,
  );
  /** Until the replies are used up and the line rests. */
  const rest = (act: () => void): Promise<void> =>
    new Promise((resolve) => {
      said = () => setTimeout(resolve);
      act();
    });
  return { line, sent, waits, failures, page, rest };
}

test("what was asked for is waited for, as often as the server says, until a person is there", async () => {
  const { line, sent, waits, rest } = open([answer("waiting"), answer("waiting"), answer("talking", [message(1)])]);
  await rest(() => line.ask());
  assert.deepEqual(sent, ["POST /person", "GET /person?after=0", "GET /person?after=0"]);
  assert.deepEqual(waits, [4000, 4000, 3000]);
  assert.deepEqual([line.now.state, line.now.operator, line.now.messages.length], ["talking", "Ann", 1]);
});

test("nothing is asked once there is nothing to come", async () => {
  const { line, sent, rest } = open([answer("talking", [message(1)]), answer("ended")]);
  const ended = rest(() => line.look());
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(sent, ["GET /person?after=0", "GET /person?after=1"]);
  assert.equal(line.now.state, "ended");
  line.look(); // who looks again is told again
  await ended;
  assert.equal(sent.length, 3);
});

test("a message that was lost on its way is sent again under the same id, before any news is asked for", async () => {
  const cut = new Failure("network");
  const { line, sent, waits, rest } = open([cut, new Failure("", 502), answer("talking", [message(1, "visitor")])]);
  await rest(() => line.say(HELLO));
  assert.deepEqual(sent.slice(0, 3), Array(3).fill("POST /person/messages id1"));
  assert.deepEqual(waits.slice(0, 2), [10, 11]);
  assert.deepEqual([line.now.unsent, line.now.messages.length], [[], 1]);
});

test("messages go in the order in which they were written", async () => {
  const { line, sent, rest } = open([answer("talking"), answer("talking")]);
  await rest(() => {
    line.say(HELLO);
    line.say({ message_id: "id2", text: "Again" });
  });
  assert.deepEqual(sent.slice(0, 2), ["POST /person/messages id1", "POST /person/messages id2"]);
});

test("what an earlier page could not send is sent", async () => {
  const { line, sent, rest } = open([answer("talking")], [HELLO]);
  await rest(() => line.look());
  assert.equal(sent[0], "POST /person/messages id1");
  assert.deepEqual(line.now.unsent, []);
});

test("a message that nobody hears is kept as refused, and the state is looked up", async () => {
  const { line, sent, page } = open([new Failure("no_active_chat", 409), answer("ended")]);
  page.isHidden = false;
  line.say(HELLO);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(sent, ["POST /person/messages id1", "GET /person?after=0"]);
  assert.deepEqual([line.now.state, line.now.unsent], ["ended", [{ ...HELLO, isRefused: true }]]);
  line.drop("id1");
  assert.deepEqual(line.now.unsent, []);
});

test("a hidden page asks for no news but still sends what was written, and looks at once when it is seen", async () => {
  const { line, sent, waits, page, rest } = open([answer("talking"), answer("talking")]);
  page.isHidden = true;
  line.look();
  assert.deepEqual([sent, waits], [[], [2 ** 31 - 1]]);
  line.say(HELLO);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(sent, ["POST /person/messages id1"]);
  await rest(() => {
    page.isHidden = false;
    line.look();
  });
  assert.equal(sent[1], "GET /person?after=0");
});

test("the visitor ends it at once, not with the next poll", async () => {
  const { line, sent, rest } = open([answer("talking")]);
  await rest(() => line.look());
  await rest(() => line.end());
  assert.deepEqual(sent, ["GET /person?after=0", "POST /person/end"]);
});

test("a wish that is refused is told, and not repeated", async () => {
  const { line, sent, failures } = open([new Failure("invalid_request", 422)]);
  line.ask();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual([sent, failures], [["POST /person"], ["POST /person"]]);
});

test("a chat that is gone has ended", async () => {
  const { line } = open([answer("talking"), new Failure("not_found", 404)]);
  line.look();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(line.now.state, "ended");
});

test("a closed line takes no more news", async () => {
  const { line } = open([answer("talking")]);
  line.look();
  line.close();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(line.now.state, "none");
});

test("messages stand once and by their numbers, however they come", () => {
  const line: Line = { ...noLine, messages: [message(2)] };
  const both = joined(line, answer("talking", [message(1), message(2)]));
  assert.deepEqual(both.messages.map((each) => each.number), [1, 2]);
});

test("news is asked for after the last message without a gap before it", () => {
  assert.equal(lastNumber([message(1), message(2), message(4)]), 2);
  assert.equal(lastNumber([]), 0);
});
