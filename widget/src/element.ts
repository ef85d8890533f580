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

/** The picture of an agent, drawn on a canvas: a website's policy need not allow pictures of ours. `instead` stands where it cannot come. */
export function picture(url: string, instead: Child): HTMLCanvasElement {
  const canvas = h("canvas", { class: "picture", width: 128, height: 128 });
  fetch(url)
    .then((response) => response.blob())
    .then(createImageBitmap)
    .then((bitmap) => canvas.getContext("2d")!.drawImage(bitmap, 0, 0))
    .catch(() => canvas.replaceWith(instead as Node));
  return canvas;
}
