import { PAGE } from "docent:parts";
import type { Question } from "./contract.js";
import { uuid } from "./ids.js";
import { pageAddress } from "./page_address.js";
import type { AroundWidget } from "./page.js";
import type { Shell } from "./shell.js";

/** A question that is asked on this page. */
export function newQuestion(message: string): Question {
  return { turn_id: uuid(), message, page_url: pageAddress(location.href) };
}

/** Adds what the page says: once, so that a repetition of the question is the same; without it the question is asked all the same. */
export async function readPage({ options, load }: Shell, question: Question): Promise<void> {
  if (!options.pageContext || question.page_context != null) return;
  const page = await load<AroundWidget>(PAGE).catch(() => null);
  if (page) question.page_context = page.pageContext(document);
}
