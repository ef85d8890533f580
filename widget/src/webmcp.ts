/** A file of its own, for websites that let the assistant of a visitor's browser search their pages and ask: WebMCP, as of June 2026
 * (https://webmachinelearning.github.io/webmcp/). Where a browser has none, it does nothing. */
import type { Session } from "./contract.js";
import type { DocentWidget } from "./docent.js";
import type { FoundPages, TextPart } from "./search_contract.js";

interface Tool {
  name: string;
  description: string;
  inputSchema: object;
  annotations: { readOnlyHint: boolean; untrustedContentHint: true };
  execute(input: { text?: string }): Promise<unknown>;
}
interface ModelContext {
  registerTool(tool: Tool): Promise<void> | undefined;
}
// Chrome had it on the navigator before it moved.
declare const document: Document & { modelContext?: ModelContext };
declare const navigator: Navigator & { modelContext?: ModelContext };

/** For a chat that answers something else, or whose script does not come. */
const START_MS = 30_000;

const context = document.modelContext ?? navigator.modelContext;
const { dataset, src } = document.currentScript as HTMLScriptElement;
const agent_id = dataset.agent!;
let session: Session | undefined;

const textOf = (parts: readonly TextPart[]): string => parts.map(({ text }) => text).join("");

/** The visitor API is beside the folder that this file is in. */
const call = async (path: string, more: RequestInit): Promise<unknown> => {
  const response = await fetch(new URL("../v1/widget/" + path, src), { credentials: "omit", ...more });
  const said = await response.json();
  if (!response.ok) throw Error(said.error.message);
  return said;
};

const search = async (text: string): Promise<unknown> => {
  if (!(Date.parse(session?.expires_at ?? "") > Date.now())) {
    const body = JSON.stringify({ agent_id, page_url: location.origin + location.pathname });
    session = (await call("init", { method: "POST", headers: { "Content-Type": "application/json" }, body })) as Session;
  }
  const headers = { Authorization: "Bearer " + session!.token };
  const { pages } = (await call("search?q=" + encodeURIComponent(text.slice(0, 200)), { headers })) as FoundPages;
  return pages.map(({ url, title, passages }) => ({
    url,
    title: textOf(title),
    passages: passages.map(({ url, headings, text }) => ({ url, title: textOf(headings), text: textOf(text) })),
  }));
};

/** In the chat, where the visitor sees it. */
const ask = (text: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const widget = (window.Docent as Partial<DocentWidget> | undefined)?.agents?.[agent_id];
    if (!widget) throw Error("This page has no chat.");
    let turn: string | undefined;
    const end = (): void => listening.forEach((stop) => stop());
    const fail = (code = ""): void => {
      end();
      reject(Error(code));
    };
    const listening = [
      widget.on("message", ({ turn_id, message }) => message === text.trim() && (turn = turn_id)),
      widget.on("error", ({ turn_id, code }) => turn_id === turn && fail(code)),
      widget.on("answer", ({ turn_id, text, citations, low_confidence }) => {
        if (turn_id !== turn) return;
        end();
        resolve({ text, is_sure: !low_confidence, pages: citations.map(({ title, url }) => ({ title, url })) });
      }),
    ];
    setTimeout(() => turn ?? fail("The chat is busy."), START_MS);
    widget.ask(text);
  });

const offer = async (name: string, description: string, readOnlyHint: boolean, act: (text: string) => Promise<unknown>): Promise<void> => {
  try {
    await context!.registerTool({
      name: (dataset.prefix ?? "") + name,
      description,
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      annotations: { readOnlyHint, untrustedContentHint: true },
      execute: async ({ text = "" }) => act(text),
    });
  } catch (error) {
    // The page has one of that name, or may have none.
    console.error("Docent:", error);
  }
};

if (context) {
  void offer("search", "Searches this website's pages for passages that match.", true, search);
  void offer("ask", "Asks this website's assistant, in the chat that the visitor sees.", false, ask);
}
