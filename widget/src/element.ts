type Handler = (event: Event) => void;
type Attributes = Record<string, string | number | boolean | null | undefined | Handler>;
export type Child = Node | string | null | undefined | false;

/** Builds one element. Functions become listeners named by their key; false, null and undefined are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : (value as string));
  }
  fill(element, ...children);
  return element;
}

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter(Boolean) as (Node | string)[]);
}

/** A button of one drawing, for outside of forms; its label is spoken, and shown to a resting pointer. */
export function iconButton(label: string, path: string, click: Handler, attributes: Attributes = {}): HTMLButtonElement {
  return h(
    "button",
    { class: "icon", "aria-label": label, title: label, click, ...attributes },
    icon(path),
  );
}

/** A button of words, for outside of forms. */
export function chip(label: string, click: Handler, path?: string): HTMLButtonElement {
  return h("button", { class: "chip", dir: "auto", click }, path && icon(path), label);
}

const SVG = "http://www.w3.org/2000/svg";

/** A 24 px line drawing from one path; decoration, so hidden from assistive technology. */
export function icon(path: string): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** What `icon` draws. Each script has those that it names. */
export const ICONS = {
  close: "M6 6l12 12M18 6L6 18",
  wide: "M3 12h18M7 8l-4 4 4 4M17 8l4 4-4 4",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  fresh: "M20 12a8 8 0 1 1-3-6l3 2V4v4h-4",
  copy: "M9 9h10v10H9zM15 9V5H5v10h4",
  check: "M5 12.5l4.5 4.5L19 7.5",
  up: "M7 10v10H4V10zl4-7q3 0 2 6h5q3 0 2 3l-1 6q0 2-3 2H7",
  down: "M17 14V4h3v10zl-4 7q-3 0-2-6H6q-3 0-2-3l1-6q0-2 3-2h9",
  past: "M12 7v5l3 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  end: "M12 5v14M6 13l6 6 6-6",
} as const;
