import { h, icon, type Child } from "./element.js";
import { safeLink } from "./safe_link.js";
import type { Facet, FoundPage, TextPart } from "./search_contract.js";

/** The pages as groups of options, for a listbox. Texts of pages go in as text. */
export function pageGroups(pages: readonly FoundPage[]): HTMLElement[] {
  return pages.map((page) =>
    h(
      "div",
      { role: "group", "aria-label": page.title.map((part) => part.text).join("") },
      option(page.url, h("b", { dir: "auto" }, ...marked(page.title))),
      ...page.passages.map((passage) =>
        option(
          passage.url,
          passage.headings.length > 0 && h("i", { dir: "auto" }, ...marked(passage.headings)),
          h("span", { dir: "auto" }, ...marked(passage.text)),
        ),
      ),
    ),
  );
}

/** Buttons to narrow the pages with, pressed for what is `chosen`; languages are named in the visitor's. */
export function facetButtons(facets: readonly Facet[], chosen: URLSearchParams, language: string, find: () => void): HTMLElement[] {
  return facets.flatMap(({ name, values }) =>
    values.map(({ value, label, pages }) => {
      const isChosen = chosen.get(name) === value;
      const press = (): void => {
        if (isChosen) chosen.delete(name);
        else chosen.set(name, value);
        find();
      };
      const shown = name === "language" ? new Intl.DisplayNames(language, { type: name }).of(value) : label;
      return h("button", { class: "facet", dir: "auto", "aria-pressed": String(isChosen), click: press }, `${shown} ${pages}`);
    }),
  );
}

/** What may be chosen: a link, so that a pointer opens it as any other; without an address it is only read. */
function option(url: string | null, ...children: Child[]): HTMLElement {
  const link = safeLink(url ?? "");
  const attributes = { role: "option", class: "option", tabindex: -1, "aria-selected": "false" };
  return link ? h("a", { ...attributes, href: link.href }, ...children) : h("div", { ...attributes, "aria-disabled": "true" }, ...children);
}

/** What does something here: asks the chat, or with a drawing searches for what it offers. */
export function actOption(label: string, click: () => void, path?: string): HTMLElement {
  const attributes = { role: "option", class: path ? "option" : "option ask", tabindex: -1, "aria-selected": "false" };
  return h("div", { ...attributes, click }, path && icon(path), h("bdi", {}, label));
}

/** For eyes at a keyboard: the listbox tells others. */
export function keyHints(): HTMLElement {
  return h("p", { class: "keys", "aria-hidden": "true" }, ...["↑", "↓", "↵", "Esc"].map((key) => h("kbd", {}, key)));
}

function marked(parts: readonly TextPart[]): Child[] {
  return parts.map((part) => (part.is_match ? h("mark", {}, part.text) : part.text));
}
