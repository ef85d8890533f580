/** The file about the page around the widget: what it says, for questions about it, and the panels of other agents on it. */
import { makeRoom } from "./neighbours.js";
import { pageContext } from "./page_context.js";
import type { PartScript } from "./part_file.js";

const page = { makeRoom, pageContext };
export type AroundWidget = typeof page;

(document.currentScript as PartScript<AroundWidget>).exported = page;
