import { install } from "./api.js";
import { whenReady } from "./script_tag.js";

// Read now: `currentScript` is gone once the first task ends.
whenReady("widget", document.currentScript, (script) => install(script));
