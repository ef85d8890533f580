/** Tabs of one website in one browser: their widgets of the same agent tell each other what a visitor does.
 *
 * Only pages of the same origin hear it, which could do all of it themselves. */
import type { Rating } from "./contract.js";
import type { Stay } from "./store.js";

/** What one tab tells the others. An empty one asks where the visitor is, `stay` answers that. The others are about one conversation. */
export interface Told {
  stay?: Stay;
  conversation?: string | null | undefined;
  /** A turn that has begun, and its question; or one that was rated. */
  turn?: string;
  question?: string;
  rating?: Rating;
}

function channelOf(agentId: string, hear: (told: Told, channel: BroadcastChannel) => void): BroadcastChannel {
  const channel = new BroadcastChannel("docent:" + agentId);
  channel.onmessage = ({ data }) => hear(data as Told, channel);
  return channel;
}

/** Calls `found` if there is another tab in which the panel is open. */
export function askTabs(agentId: string, found: (stay: Stay) => void): void {
  channelOf(agentId, ({ stay }, channel) => {
    if (!stay) return;
    channel.close();
    found(stay);
  }).postMessage({});
}

/** Hears the other tabs until `signal`; returns what tells them. */
export function joinTabs(agentId: string, hear: (told: Told) => void, signal: AbortSignal): (told: Told) => void {
  let channel: BroadcastChannel | undefined = channelOf(agentId, hear);
  const leave = (): void => {
    channel?.close();
    channel = undefined;
  };
  // A page that listens could not be kept for the way back.
  addEventListener("pagehide", leave, { signal });
  addEventListener("pageshow", () => (channel ??= channelOf(agentId, hear)), { signal });
  signal.addEventListener("abort", leave);
  return (told) => channel?.postMessage(told);
}
