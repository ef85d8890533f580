import { h, type Child } from "./element.js";
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

/** Of a question to the chat in place of a page. */
export function askOption(label: string, click: () => void): HTMLElement {
  return h("div", { role: "option", class: "option ask", tabindex: -1, "aria-selected": "false", dir: "auto", click }, label);
}

function marked(parts: readonly TextPart[]): Child[] {
  return parts.map((part) => (part.is_match ? h("mark", {}, part.text) : part.text));
}
