/** The file with the list of a visitor's conversations, for those who look for an earlier one. */
import { PastView, type OpenPast } from "./past_view.js";
import type { PartScript } from "./part_file.js";

const openPast: OpenPast = (...args) => new PastView(...args);

(document.currentScript as PartScript<OpenPast>).exported = openPast;
