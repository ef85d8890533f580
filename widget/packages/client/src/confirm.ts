/** What an answer asks the visitor to confirm: `turn.confirmation` of a `Chat`, the event `confirm` of a `Client`. */
import type { Client } from "../../../src/client.js";
import type { Confirmation } from "../../../src/contract.js";

/** Says what the visitor has said, and nobody for them: "yes" makes the change. Said again it changes nothing. Rejects with a Failure. */
export async function decide(client: Client, id: string, answer: "yes" | "no"): Promise<Confirmation> {
  const response = await client.call("POST", "/confirmations/" + id, { answer });
  return (await response.json()) as Confirmation;
}

/** What became of it; ask again while its state is `confirmed`. Rejects with a Failure. */
export async function look(client: Client, id: string): Promise<Confirmation> {
  const response = await client.call("GET", "/confirmations/" + id);
  return (await response.json()) as Confirmation;
}
