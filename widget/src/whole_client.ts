import { Client as PanelClient } from "./client.js";
import type { Lead } from "./contract.js";

/** The client that websites' own interfaces use, with what the panel does elsewhere or not at all. */
export class Client extends PanelClient {
  /** Leaves a message for people to answer, whose writer has agreed that it is kept. */
  async leave(lead: Lead): Promise<void> {
    await this.call("POST", "/leads", { ...lead, consent: true });
  }

  /** Ends the conversation for good; the next question starts another. */
  async clear(): Promise<void> {
    await this.call("POST", "/conversation/clear");
    this.goTo();
  }
}
