import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type ClientEvent, type ClientOptions } from "./client.js";
import type { Question } from "./contract.js";

const QUESTION: Question = { turn_id: "t1", message: "Why?", page_url: "https://shop.example/" };
const START = { event: "start", turn_id: "t1", conversation_id: "c" };
const DONE = { event: "done", turn_id: "t1", message_id: "m", answered_by: "model", low_confidence: false, confidence: 1, finish: "complete" };

interface Sent {
  line: string;
  headers: Record<string, string>;
  body: unknown;
}

/** A fetch that plays one reply a call; `init` always works. */
function server(...replies: ((sent: Sent, signal?: AbortSignal | null) => Response)[]): { sent: Sent[]; fetch: typeof fetch } {
  const sent: Sent[] = [];
  let inits = 0;
  const play = (url: string, init: RequestInit): Response => {
    const call = {
      line: `${init.method} ${new URL(url).pathname.slice("/v1/widget".length)}`,
      headers: init.headers as Record<string, string>,
      body: init.body ? (JSON.parse(init.body as string) as unknown) : undefined,
    };
    sent.push(call);
    if (call.line !== "POST /init") return (replies.shift() as (typeof replies)[0])(call, init.signal);
    return Response.json({ anonymous_id: "anon", token: `token${++inits}`, expires_at: new Date(Date.now() + 900_000).toISOString(), agent: {}, messages: [] });
  };
  return { sent, fetch: (url, init) => new Promise((resolve) => resolve(play(url as string, init as RequestInit))) };
}

const stream = (events: [id: number, event: object][], end: "close" | "break" | "hang" = "close") => (_: Sent, signal?: AbortSignal | null) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const [id, event] of events) {
          controller.enqueue(new TextEncoder().encode(`id: ${id}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`));
        }
        if (end === "close") controller.close();
        if (end === "break") setTimeout(() => controller.error(new TypeError("network")), 5);
        if (end === "hang") signal?.addEventListener("abort", () => controller.error(new DOMException("", "AbortError")));
      },
    }),
  );
const refuse = (status: number, code: string) => () => Response.json({ error: { code, message: "" } }, { status });
const token = (text: string): object => ({ event: "token", token: text });

async function ask(fetcher: typeof fetch, options: Partial<ClientOptions> = {}, join = false): Promise<string[]> {
  const client = new Client({ base: "https://chat.example", agentId: "a", pageUrl: () => "", fetch: fetcher, waitMs: () => 1, ...options });
  const heard: string[] = [];
  const on = (event: ClientEvent): void => void heard.push(event.event === "token" ? event.token : event.event);
  await client.ask(QUESTION, on, new AbortController().signal, join);
  return heard;
}

test("an answer is heard from start to receipt", async () => {
  const { sent, fetch } = server(stream([[1, START], [2, token("a")], [3, DONE]]));
  assert.deepEqual(await ask(fetch), ["start", "a", "done"]);
  assert.deepEqual(sent.map((call) => call.line), ["POST /init", "POST /messages/stream"]);
  assert.equal(sent[1]?.headers.Authorization, "Bearer token1");
});

for (const end of ["close", "break"] as const) {
  test(`an answer that stops (${end}) is resumed after its last event`, async () => {
    const { sent, fetch } = server(stream([[1, START], [2, token("a")]], end), stream([[2, token("a")], [3, token("b")], [4, DONE]]));
    assert.deepEqual(await ask(fetch), ["start", "a", "reconnecting", "b", "done"]);
    assert.equal(sent[2]?.line, "GET /turns/t1/stream");
    assert.equal(sent[2]?.headers["Last-Event-ID"], "2");
  });
}

test("nobody comes back sooner than the server asked", async () => {
  const { fetch } = server(() => new Response("retry: 60\nid: 1\ndata: " + JSON.stringify(START) + "\n\n"), stream([[2, DONE]]));
  const before = performance.now();
  assert.deepEqual(await ask(fetch), ["start", "reconnecting", "done"]);
  assert.ok(performance.now() - before >= 59);
});

test("a question that got no answer is asked again under the same id", async () => {
  const { sent, fetch } = server(() => { throw new TypeError("network"); }, stream([[1, DONE]]));
  assert.deepEqual(await ask(fetch), ["reconnecting", "done"]);
  assert.deepEqual(sent[1]?.body, sent[2]?.body);
});

test("a silent stream is taken for dead and resumed", async () => {
  const { fetch } = server(stream([[1, START]], "hang"), stream([[2, DONE]]));
  assert.deepEqual(await ask(fetch, { stallMs: 20 }), ["start", "reconnecting", "done"]);
});

test("a refused token is renewed once", async () => {
  const { sent, fetch } = server(refuse(401, "unauthorized"), stream([[1, DONE]]));
  assert.deepEqual(await ask(fetch), ["done"]);
  assert.deepEqual(sent.map((call) => call.line), ["POST /init", "POST /messages/stream", "POST /init", "POST /messages/stream"]);
  assert.equal((sent[2]?.body as { anon_id: string }).anon_id, "anon");
});

test("a token refused twice is a failure", async () => {
  const { fetch } = server(refuse(401, "unauthorized"), refuse(401, "unauthorized"));
  await assert.rejects(ask(fetch), { code: "unauthorized", status: 401 });
});

test("what the server refuses is not asked again by itself", async () => {
  const { sent, fetch } = server(refuse(429, "rate_limited"));
  await assert.rejects(ask(fetch), { code: "rate_limited", retryable: true });
  assert.equal(sent.length, 2);
});

test("an answer that was begun is asked for again while the lost connection holds its place", async () => {
  const { sent, fetch } = server(stream([[1, START]], "break"), refuse(429, "rate_limited"), stream([[2, DONE]]));
  assert.deepEqual(await ask(fetch), ["start", "reconnecting", "reconnecting", "done"]);
  assert.equal(sent[3]?.headers["Last-Event-ID"], "1");
});

test("a question that is too long cannot be retried", async () => {
  await assert.rejects(ask(server(refuse(413, "too_large")).fetch), { code: "too_large", retryable: false });
});

test("a gateway's error is waited out", async () => {
  const { fetch } = server(() => new Response("<html>", { status: 502 }), stream([[1, DONE]]));
  assert.deepEqual(await ask(fetch), ["reconnecting", "done"]);
});

test("a turn that the server lost is asked anew", async () => {
  const { fetch } = server(stream([[1, START], [2, token("a")]]), refuse(404, "not_found"), stream([[1, START], [2, token("b")], [3, DONE]]));
  assert.deepEqual(await ask(fetch), ["start", "a", "reconnecting", "restart", "start", "b", "done"]);
});

test("joining a turn never asks it", async () => {
  const { sent, fetch } = server(stream([[1, START], [2, DONE]]));
  assert.deepEqual(await ask(fetch, {}, true), ["start", "done"]);
  assert.equal(sent[1]?.line, "GET /turns/t1/stream");
});

test("after seven silent tries the failure is told", async () => {
  const nobody = Array.from({ length: 7 }, () => () => { throw new TypeError("network"); });
  await assert.rejects(ask(server(...nobody).fetch), { code: "network" });
});

test("while offline it waits for the wake-up instead of giving up", async () => {
  let online = false;
  const { fetch } = server(() => { throw new TypeError("network"); }, stream([[1, DONE]]));
  const client = new Client({ base: "https://chat.example", agentId: "a", pageUrl: () => "", fetch, waitMs: () => 1, isOnline: () => online });
  const heard: string[] = [];
  const asking = client.ask(QUESTION, (event) => heard.push(event.event), new AbortController().signal);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(heard, ["reconnecting"]);
  online = true;
  client.wake();
  await asking;
  assert.deepEqual(heard, ["reconnecting", "done"]);
});

test("an aborted question ends without an error", async () => {
  const { fetch } = server(stream([[1, START]], "hang"));
  const client = new Client({ base: "https://chat.example", agentId: "a", pageUrl: () => "", fetch });
  const giveUp = new AbortController();
  await client.ask(QUESTION, () => giveUp.abort(), giveUp.signal);
});

test("calls made at once share one session", async () => {
  const { sent, fetch } = server(() => new Response(null, { status: 204 }), () => new Response(null, { status: 204 }));
  const client = new Client({ base: "https://chat.example", agentId: "a", pageUrl: () => "", fetch });
  await Promise.all([client.stop("t1"), client.rate("t1", "up")]);
  assert.equal(sent.filter((call) => call.line === "POST /init").length, 1);
  assert.deepEqual(sent.find((call) => call.line.endsWith("feedback"))?.body, { rating: "up" });
});

test("renewing the session does not tear the anonymous id", async () => {
  const kept: string[] = [];
  const client = new Client({ base: "https://chat.example", agentId: "a", pageUrl: () => "", fetch: server().fetch, anonymousId: () => "old", keepAnonymousId: (id) => kept.push(id) });
  await client.open();
  assert.deepEqual(kept, ["anon"]);
});

test("a signed user is named with the signature, never with an anonymous id", async () => {
  const { sent, fetch } = server(stream([[1, DONE]]));
  await ask(fetch, { anonymousId: () => "kept", user: () => ({ userId: "ann", hash: "abc" }) });
  assert.deepEqual(sent[0]?.body, { agent_id: "a", page_url: "", user_id: "ann", user_hash: "abc" });
});

test("a session that was asked for one person is not given to the next", async () => {
  const asked: { body: { user_id?: string }; answer: () => void }[] = [];
  let user: { userId: string; hash: string } | undefined = { userId: "ann", hash: "a" };
  const client = new Client({
    base: "https://chat.example",
    agentId: "a",
    pageUrl: () => "",
    user: () => user,
    fetch: (_, init) =>
      new Promise((resolve) => {
        const body = JSON.parse((init as RequestInit).body as string) as { user_id?: string };
        asked.push({ body, answer: () => resolve(Response.json({ anonymous_id: null, visitor_id: body.user_id ?? "nobody" })) });
      }),
  });
  const opened = client.open();
  user = undefined;
  client.forget();
  const again = client.open();
  asked[0]?.answer();
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(asked.map((call) => call.body.user_id), ["ann", undefined]);
  asked[1]?.answer();
  assert.deepEqual([(await opened).visitor_id, (await again).visitor_id], ["nobody", "nobody"]);
});

test("nor is one whose answer has only begun when the person changes", async () => {
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
  let user: { userId: string; hash: string } | undefined = { userId: "ann", hash: "a" };
  const client = new Client({
    base: "https://chat.example",
    agentId: "a",
    pageUrl: () => "",
    user: () => user,
    fetch: () => Promise.resolve(new Response(new ReadableStream({ start: (body) => void bodies.push(body) }))),
  });
  const end = (body: ReadableStreamDefaultController<Uint8Array> | undefined, visitor: string): void => {
    body?.enqueue(new TextEncoder().encode(JSON.stringify({ anonymous_id: null, visitor_id: visitor })));
    body?.close();
  };
  const opened = client.open();
  await new Promise((resolve) => setTimeout(resolve));
  user = undefined;
  client.forget();
  end(bodies[0], "ann");
  await new Promise((resolve) => setTimeout(resolve));
  end(bodies[1], "nobody");
  assert.equal((await opened).visitor_id, "nobody");
});
