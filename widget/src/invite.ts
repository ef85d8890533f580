/** A file of its own, for websites whose agent has invitations: short messages beside the closed launcher. */
import { Invitations } from "./invitations.js";
import { whenReady } from "./script_tag.js";

// Read now: `currentScript` is gone once the first task ends.
whenReady("invite", document.currentScript, ({ dataset: { agent = "" }, src }) => new Invitations(agent, new URL(".", src).href));
