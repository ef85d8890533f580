/** Docent from any interface: `Chat` keeps a conversation, `mountWidget` puts the ready-made widget on the page, `Client` speaks to
 * the server alone. Nothing here touches the page before it is called, so that it may be imported on a server. */
export type { ClientEvent, ClientOptions } from "../../../src/client.js";
export type * from "../../../src/contract.js";
export type * from "../../../src/docent.js";
export { Failure } from "../../../src/failure.js";
export { uuid } from "../../../src/ids.js";
export { pageAddress } from "../../../src/page_address.js";
export { pageContext } from "../../../src/page_context.js";
export { safeLink } from "../../../src/safe_link.js";
export type { Turn } from "../../../src/state.js";
export { Client } from "../../../src/whole_client.js";
export { Chat, EMPTY_CHAT, type ChatActions, type ChatOptions, type ChatState } from "./chat.js";
export { mountWidget, type MountedWidget, type WidgetEvents, type WidgetOptions } from "./mount.js";
