/** Proof of work, for interfaces around a `Client` of their own: `Chat` loads it by itself where the server asks for it. */
export { proveTo } from "../../../src/prove.js";
