/** A file of its own, for websites that have the conversation as a part of a page, or as a page, in place of a launcher. */
import { install } from "./api.js";
import { widgetIn } from "./inline_widget.js";
import { whenReady } from "./script_tag.js";

// Read now: `currentScript` is gone once the first task ends.
whenReady("inline", document.currentScript, (script) => {
  const { target } = script.dataset;
  const into = target ? (script.getRootNode() as ParentNode).querySelector(target) : script.parentElement;
  if (into && into !== document.head) install(script, widgetIn(into));
  else console.error(`Docent: data-target "${target ?? ""}" is no element of this page.`);
});
