import type { Fallback, Lead } from "./contract.js";
import { chip, fill, h } from "./element.js";
import { P, textOf } from "./people_words.js";
import { W, type Words } from "./words.js";

export interface Contact {
  words: Words;
  /** Asks for one, where somebody answers. */
  person?: (() => void) | undefined;
  fallback: Fallback;
  leave(lead: Lead): Promise<unknown>;
  failed(error: unknown): void;
}

/** Draws into `place` the agent's ways to people: a live chat, a link, and a form whose writer agrees that the message is kept. */
export function drawContact(place: HTMLElement, question: string, { words, person, fallback, leave, failed }: Contact): void {
  const { url, label, form, consent } = fallback;
  const leaving = h("div");
  const field = (name: P, input: Node): HTMLElement => h("label", {}, textOf(words, name), input);
  const submit = (event: Event): void => {
    event.preventDefault();
    const lead = Object.fromEntries(new FormData(event.target as HTMLFormElement)) as unknown as Lead;
    leave(lead).then(() => fill(leaving, h("p", { class: "status", role: "status" }, textOf(words, P.written))), failed);
  };
  // At once: the browser's own event comes later, and would take the focus from a field that was already chosen.
  const click = (event: Event): void => {
    event.preventDefault();
    if (leaving.querySelector("details")!.toggleAttribute("open")) show(leaving.querySelector("input")!);
    else leaving.querySelector("summary")!.focus();
  };
  fill(
    leaving,
    h(
      "details",
      {},
      h("summary", { class: "chip", click }, textOf(words, P.contact)),
      h(
        "form",
        { class: "lead", submit },
        field(P.name, h("input", { name: "name", autocomplete: "name" })),
        field(P.email, h("input", { name: "email", autocomplete: "email", type: "email", required: true })),
        field(P.message, h("textarea", { name: "message", required: true, maxlength: 4000, rows: 3 }, question)),
        h("label", {}, h("input", { type: "checkbox", required: true }), " ", consent || textOf(words, P.consent)),
        h("button", { class: "chip" }, words[W.send]),
        " ",
        h("button", { class: "chip quiet", type: "button", click }, textOf(words, P.cancelForm)),
      ),
    ),
  );
  place.className = "ways";
  fill(
    place,
    person && chip(words[W.person], person),
    /^(https|mailto|tel):/i.test(url ?? "") &&
      h("a", { class: "chip", href: url, target: "_blank", rel: "noopener" }, label || textOf(words, P.contact)),
    form && leaving,
  );
}

/** Draws a field for what was missing in an answer; an empty text is told, too. */
export function drawWhy(place: HTMLElement, words: Words, tell: (comment: string) => void): void {
  const why = textOf(words, P.why);
  const input = h("input", { maxlength: 1000, "aria-label": why, placeholder: why, dir: "auto" });
  const submit = (event: Event): void => {
    event.preventDefault();
    tell(input.value.trim());
  };
  fill(place, h("form", { class: "comment", submit }, input, h("button", { class: "chip" }, words[W.send])));
  show(input);
}

/** All of a form that was just asked for, with the focus in its first field. */
function show(field: HTMLInputElement): void {
  field.focus({ preventScroll: true });
  field.form!.scrollIntoView({ block: "nearest" });
}
