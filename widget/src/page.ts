/** The fourth file: what reads the page that a question is asked on. */
import { pageContext } from "./page_context.js";
import type { PartScript } from "./part_file.js";

(document.currentScript as PartScript<typeof pageContext>).exported = pageContext;
