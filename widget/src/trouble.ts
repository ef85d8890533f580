import { chip, h } from "./element.js";
import { ICONS } from "./icons.js";

/** Something is on its way. */
export function dots(): HTMLElement {
  return h("span", { class: "dots" }, h("i"), h("i"), h("i"));
}

/** What went wrong, and a way to try again where that can help. */
export function trouble(text: string, retry: string, act?: (() => void) | false): HTMLElement {
  return h("div", { class: "error" }, h("p", {}, text), act && chip(retry, act, ICONS.fresh));
}
