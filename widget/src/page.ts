/** The file about the page around the widget: what it says, for questions about it, its screen, and the panels of other agents on it.
 * Beside that, what few answers need: where sources are, and the way to what colours code. */
import { CODE } from "docent:parts";
import type { PaintCode } from "./code.js";
import type { Citation } from "./contract.js";
import css from "./page.css";
import type { Desk } from "./desk.js";
import { h } from "./element.js";
import { makeRoom } from "./neighbours.js";
import { pageContext } from "./page_context.js";
import type { PartScript } from "./part_file.js";
import { screenSheet } from "./screen_sheet.js";
import type { Shell } from "./shell.js";
import { W } from "./words.js";

const attended = new WeakSet<Shell>();

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

/** For a panel that has opened. */
function attend(shell: Shell): void {
  const { agents, frame, launcher, signal } = shell;
  const { panel } = frame;
  makeRoom(panel, agents);
  if (attended.has(shell)) return;
  attended.add(shell);
  const shadow = launcher.root.getRootNode() as ShadowRoot;
  shadow.adoptedStyleSheets.push(screenSheet(signal), sheet);
  panel.addEventListener("focusout", ({ relatedTarget: to }) => {
    // On top of the page and as wide, the page behind is out of sight: focus that runs out goes round.
    if (!panel.hidden && panel.matches("[role=dialog]") && panel.clientWidth === innerWidth && !(to && panel.contains(to as Node))) panel.focus();
  });
}

let painter: PaintCode | undefined;
let last: Promise<unknown> | undefined;

/** Colours a block of code; once what it takes is here, before the browser shows the block. */
async function paint({ load }: Shell, code: HTMLElement, language: string): Promise<void> {
  // Tried once: code that is being written is drawn with each word, and reads well without.
  last ??= load<PaintCode>(CODE).then((loaded) => (painter = loaded)).catch(() => undefined);
  // Blocks that wait for it have a task each.
  if (!painter) await (last = last.then(() => new Promise(requestAnimationFrame)));
  painter?.(code, language);
}

function dayOf(iso: string, dates: Intl.DateTimeFormat): string {
  const date = new Date(iso.length > 10 ? iso : iso + "T00:00:00");
  return isNaN(+date) ? iso : dates.format(date);
}

/** Says of each source where it is, unless that is here, when it was read, and what else stands there that may answer: the first lines, and all
 * of it once they are opened. */
function place(sources: [HTMLElement, Citation][], { words, speech }: Desk): void {
  // It takes long to make, and is asked for by few: nothing that an answer waits for.
  const dates = new Intl.DateTimeFormat(speech.language, { dateStyle: "medium" });
  for (const [source, { as_of: day, passage }] of sources) {
    if (passage) source.parentElement!.append(h("details", { class: "passage" }, h("summary", { dir: "auto" }, passage)));
    if (source.querySelector(".place")) continue;
    const { host } = source as HTMLAnchorElement;
    const told = [host !== location.host && host, day && words[W.asOf] + " " + dayOf(day, dates)];
    source.append(h("span", { class: "place" }, told.filter(Boolean).join(" · ")));
  }
}

const page = { attend, pageContext, paint, place };
export type AroundWidget = typeof page;

(document.currentScript as PartScript<AroundWidget>).exported = page;
