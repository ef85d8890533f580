import type { Client } from "./client.js";
import type { PastConversation, Session } from "./contract.js";

/** The list of conversations is no longer than this. */
const MOST_PAST = 100;

/** The visitor's own conversations, the latest first. */
export async function pastConversations(client: Client): Promise<PastConversation[]> {
  const response = await client.call("GET", "/conversations?limit=" + MOST_PAST);
  return ((await response.json()) as { items: PastConversation[] }).items;
}

/** What was said in the conversation, and the address of the visitor to which the server would send it. */
export async function transcriptOf(client: Client): Promise<{ text: string; mails_to: string | null }> {
  return (await client.call("GET", "/transcript")).json() as Promise<{ text: string; mails_to: string | null }>;
}

/** What was said in the conversation before a turn. */
export async function messagesBefore(turnId: string, client: Client): Promise<Pick<Session, "messages" | "has_earlier">> {
  return (await client.call("GET", "/conversation/messages?before=" + turnId)).json() as Promise<Session>;
}
