import { Client } from "./client.js";
import { pageAddress } from "./page_address.js";
import type { Shell } from "./shell.js";

/** The client of the page's visitor, in the conversation of this tab. */
export function pageClient({ options, store, tab, user }: Shell): Client {
  return new Client({
    base: options.base,
    agentId: options.agentId,
    locale: options.locale,
    pageUrl: () => pageAddress(location.href),
    anonymousId: () => store.read().anonymous_id,
    keepAnonymousId: (anonymous_id) => store.keep({ anonymous_id }),
    conversation: () => tab.read().conversation,
    user,
    attributes: () => ({ attributes: options.attributes, signed_attributes: options.signedAttributes, attributes_hash: options.attributesHash }),
    isOnline: () => navigator.onLine,
  });
}
