/** The client without an interface, as an ES module, for pages that draw the chat themselves. Its types are in contract. */
export { Failure } from "./failure.js";
export { uuid } from "./ids.js";
export { pageAddress } from "./page_address.js";
export { pageContext } from "./page_context.js";
export { safeLink } from "./safe_link.js";
export { Client } from "./whole_client.js";
