/** The file about the page around the widget: what it says, for questions about it, its screen, and the panels of other agents on it.
 * It knows what colours code as well, which few answers have. */
import { CODE } from "docent:parts";
import type { PaintCode } from "./code.js";
import { makeRoom } from "./neighbours.js";
import { pageContext } from "./page_context.js";
import type { PartScript } from "./part_file.js";
import { screenSheet } from "./screen_sheet.js";
import type { Shell } from "./shell.js";

const fitted = new WeakSet<Shell>();

/** For a panel that has opened. */
function attend(shell: Shell): void {
  const { agents, frame, launcher, signal } = shell;
  if (!fitted.has(shell)) {
    fitted.add(shell);
    const shadow = launcher.root.getRootNode() as ShadowRoot;
    shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, screenSheet(signal)];
  }
  makeRoom(frame.panel, agents);
}

let painter: Promise<PaintCode | undefined> | undefined;

/** Colours a block of code; once what it takes is here, before the browser shows the block. */
async function paint({ load }: Shell, code: HTMLElement, language: string): Promise<void> {
  // Tried once: code that is being written is drawn with each word, and reads well without.
  painter ??= load<PaintCode>(CODE).catch(() => undefined);
  (await painter)?.(code, language);
}

const page = { attend, pageContext, paint };
export type AroundWidget = typeof page;

(document.currentScript as PartScript<AroundWidget>).exported = page;
