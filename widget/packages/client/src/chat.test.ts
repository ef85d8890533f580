import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat } from "./chat.js";

const MESSAGES = [
  { id: "m1", turn_id: "t0", role: "visitor", text: "Hello?" },
  { id: "m2", turn_id: "t0", role: "agent", text: "Hello!", citations: [] },
];

/** A server with an earlier exchange, which answers each question by `events`, or refuses it where there are none. */
function server(...answers: (object[] | null)[]): { chat: Chat; lines: string[]; bodies: Record<string, unknown>[] } {
  const lines: string[] = [];
  const bodies: Record<string, unknown>[] = [];
  const fetcher = async (url: string, init: RequestInit): Promise<Response> => {
    lines.push(`${init.method} ${new URL(url).pathname}`);
    bodies.push(init.body ? (JSON.parse(init.body as string) as Record<string, unknown>) : {});
    if (url.endsWith("/init")) {
      return Response.json({ anonymous_id: "anon", token: "t", expires_at: "2999-01-01T00:00:00Z", agent: { id: "a", name: "Ada" }, messages: MESSAGES, has_earlier: false });
    }
    if (!url.endsWith("/stream")) return new Response(null, { status: 204 });
    const events = answers.shift();
    if (!events) return Response.json({ error: { code: "rate_limited", message: "" } }, { status: 400 });
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
  const { chat, lines } = server();
  await Promise.all([chat.open(), chat.open()]);
  assert.deepEqual(lines, ["POST /docent/v1/widget/init"]);
  assert.equal(chat.state.connection, "ready");
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
