import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Chat } from "./chat.js";

const MESSAGES = [
  { id: "m1", turn_id: "t0", role: "visitor", text: "Hello?" },
  { id: "m2", turn_id: "t0", role: "agent", text: "Hello!", citations: [] },
];

const SALT = "0123456789abcdef?expires=1767269700&";
const NUMBER = 2345;
const CHALLENGE = { algorithm: "SHA-256", challenge: createHash("sha256").update(SALT + NUMBER).digest("hex"), maxnumber: 3000, salt: SALT, signature: "s" };

/** A server with an earlier exchange, which answers each question by `events`, or refuses it where there are none: by a code of its own, or
 * as too many. */
function server(...answers: (object[] | string | null)[]): { chat: Chat; lines: string[]; bodies: Record<string, unknown>[] } {
  const lines: string[] = [];
  const bodies: Record<string, unknown>[] = [];
  const fetcher = async (url: string, init: RequestInit): Promise<Response> => {
    lines.push(`${init.method} ${new URL(url).pathname}`);
    bodies.push(init.body ? (JSON.parse(init.body as string) as Record<string, unknown>) : {});
    if (url.endsWith("/init")) {
      return Response.json({ anonymous_id: "anon", token: "t", expires_at: "2999-01-01T00:00:00Z", agent: { id: "a", name: "Ada" }, messages: MESSAGES, has_earlier: false, conversation_id: "c", challenge: CHALLENGE });
    }
    if (!url.endsWith("/stream")) return new Response(null, { status: 204 });
    const events = answers.shift();
    if (!events || typeof events === "string") return Response.json({ error: { code: events ?? "rate_limited", message: "" } }, { status: events ? 428 : 400 });
    return new Response(events.map((event, at) => `id: ${at + 1}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join(""));
  };
  const chat = new Chat({ base: "https://chat.example/docent/", agent: "a", fetch: fetcher as typeof fetch });
  return { chat, lines, bodies };
}

const DONE = { event: "done", turn_id: "t", message_id: "m", answered_by: "model", low_confidence: false, confidence: 1, finish: "complete", next_questions: ["And then?"] };

/** Once the newest turn is no longer being written. */
const ended = (chat: Chat): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => void (/done|failed|stopped/.test(chat.state.turns.at(-1)?.status ?? "") && resolve());
    chat.subscribe(look);
    look();
  });

test("a conversation goes on with what was said before", async () => {
  const { chat, lines, bodies } = server();
  await Promise.all([chat.open(), chat.open()]);
  assert.deepEqual(lines, ["POST /docent/v1/widget/init"]);
  assert.equal(chat.state.connection, "ready");
  assert.equal(bodies[0]?.page_url, "https://chat.example/docent/", "of a program, which is on no page");
  assert.equal(chat.state.agent?.name, "Ada");
  assert.deepEqual(chat.state.turns.map(({ question, answer }) => [question, answer]), [["Hello?", "Hello!"]]);
});

test("an answer grows, each time as another state", async () => {
  const { chat, bodies } = server([{ event: "token", token: "12 " }, { event: "token", token: "euros" }, DONE]);
  const seen: string[] = [];
  const states = new Set<unknown>();
  chat.subscribe(() => {
    seen.push(chat.state.turns.at(-1)?.answer ?? "");
    states.add(chat.state);
  });
  assert.match(chat.ask("  What does it cost? ") ?? "", /^[\da-f-]{36}$/);
  assert.equal(chat.ask("And now?"), null, "one at a time");
  await ended(chat);
  assert.deepEqual([...new Set(seen)], ["", "12 ", "12 euros"]);
  assert.equal(states.size, seen.length);
  const turn = chat.state.turns.at(-1);
  assert.deepEqual([turn?.status, turn?.answer, turn?.further], ["done", "12 euros", ["And then?"]]);
  assert.equal(bodies[1]?.message, "What does it cost?");
});

test("nothing is asked with blanks alone", () => {
  const { chat, lines } = server();
  assert.equal(chat.ask(" \n "), null);
  assert.deepEqual(lines, []);
});

test("what failed is asked again", async () => {
  const { chat } = server(null, [{ event: "token", token: "Yes." }, DONE]);
  chat.ask("Is it open?");
  await ended(chat);
  const failed = chat.state.turns.at(-1)!;
  assert.deepEqual([failed.status, failed.error], ["failed", "rate_limited"]);
  chat.retry(failed.id);
  assert.equal(chat.state.turns.at(-1)?.status, "waiting");
  await ended(chat);
  assert.equal(chat.state.turns.at(-1)?.answer, "Yes.");
});

test("work is proven where the server asks for it, and the same question asked again", async () => {
  const { chat, lines, bodies } = server("proof_wanted", [{ event: "token", token: "Yes." }, DONE], [DONE]);
  await chat.open();
  chat.ask("Is it open?");
  await ended(chat);
  assert.equal(chat.state.turns.at(-1)?.answer, "Yes.");
  const [first, again] = bodies.filter(({ message }) => message);
  assert.deepEqual(first, again);
  const proofs = bodies.flatMap(({ proof }) => (proof ? [JSON.parse(atob(proof as string)) as object] : []));
  assert.deepEqual(proofs, [{ ...CHALLENGE, number: NUMBER }]);
  assert.equal(bodies.find(({ proof }) => proof)?.conversation_id, "c", "the conversation stays");
  chat.ask("And now?");
  await ended(chat);
  assert.equal(lines.filter((line) => line.endsWith("/init")).length, 3, "nothing is proven twice");
});

test("a server that no proof contents is not asked without end", async () => {
  const { chat, lines } = server("proof_wanted", "proof_wanted", "proof_wanted");
  chat.ask("Is it open?");
  await ended(chat);
  assert.deepEqual([chat.state.turns.at(-1)?.status, chat.state.turns.at(-1)?.error], ["failed", "proof_wanted"]);
  assert.equal(lines.filter((line) => line.endsWith("/messages/stream")).length, 2);
});

test("a new conversation begins with nothing", async () => {
  const { chat, bodies } = server([DONE]);
  await chat.open();
  chat.startAfresh();
  assert.deepEqual(chat.state.turns, []);
  chat.ask("Anew?");
  await ended(chat);
  assert.equal(bodies[1]?.new_conversation, true);
});

test("who no longer listens hears nothing", async () => {
  const { chat } = server();
  let heard = 0;
  chat.subscribe(() => heard++)();
  await chat.open();
  assert.equal(heard, 0);
});
