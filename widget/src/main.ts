import { install, whenReady } from "./api.js";

// Read now: `currentScript` is gone once the first task ends.
whenReady("widget", document.currentScript, (script) => install(script));
