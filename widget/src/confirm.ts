/** What only visitors load whom an answer asks to confirm a change: the question, and what became of it. */
import type { Client } from "./client.js";
import css from "./confirm.css";
import { C, textOf } from "./confirm_words.js";
import type { Confirmation } from "./contract.js";
import type { Desk } from "./desk.js";
import { chip, fill, h } from "./element.js";
import type { Failure } from "./failure.js";
import type { PartScript } from "./part_file.js";
import { dots, trouble } from "./trouble.js";
import { failureText, W } from "./words.js";

/** Draws into the element what is asked. Called again with another state of it, draws that. */
export type Confirm = (place: HTMLElement, asked: Confirmation) => void;
export type OpenConfirm = (desk: Desk, client: Client, signal: AbortSignal) => Confirm;

const TOLD: Record<Exclude<Confirmation["state"], "asked">, C> = {
  confirmed: C.beingDone,
  done: C.changeDone,
  declined: C.changeDeclined,
  expired: C.changeExpired,
  void: C.changeVoid,
  failed: C.changeFailed,
  unknown: C.changeUnknown,
};
const LOOK_AGAIN_MS = 2000;
/** Of a clock that goes before the server's. */
const LATE_MS = 1000;

const openConfirm: OpenConfirm = ({ root, words, speech }, client, signal) => {
  const shadow = root.getRootNode() as ShadowRoot;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets.push(sheet);
  /** What waits for the visitor, or for the server, by its id. */
  const open = new Map<string, () => void>();
  // Whatever another tab tells, the server is asked.
  let channel: BroadcastChannel | undefined;
  const listen = (): void => {
    channel = new BroadcastChannel("docent-confirm");
    channel.onmessage = ({ data }) => open.get(data as string)?.();
  };
  const lookAll = (): void => {
    if (!document.hidden) for (const look of open.values()) look();
  };
  listen();
  document.addEventListener("visibilitychange", lookAll, { signal });
  addEventListener("pagehide", () => channel?.close(), { signal });
  addEventListener("pageshow", ({ persisted }) => persisted && (listen(), lookAll()), { signal });
  signal.addEventListener("abort", () => channel?.close());

  return (place, first) => {
    const { id, summary, values } = first;
    const below = h("div");
    const card = h(
      "div",
      { class: "confirm", role: "group", "aria-labelledby": "confirm-" + id },
      h("p", { class: "summary", id: "confirm-" + id, dir: "auto" }, summary),
      !!values.length && h("dl", {}, ...values.map((one) => h("div", {}, h("dt", { dir: "auto" }, one.label), h("dd", { dir: "auto" }, one.value)))),
      below,
    );
    let timer: ReturnType<typeof setTimeout> | undefined;
    let drawn = "";
    let isSaying = false;

    const call = async (answer?: "yes" | "no"): Promise<void> => {
      clearTimeout(timer);
      if (isSaying) return;
      isSaying = !!answer;
      // What is gone from the log is asked about no more.
      if (!answer && (signal.aborted || !place.isConnected)) return void open.delete(id);
      if (answer) draw({ ...first, state: "confirmed" }, true);
      try {
        const response = await client.call(answer ? "POST" : "GET", "/confirmations/" + id, answer && { "answer": answer });
        const asked = (await response.json()) as Confirmation;
        // Older than what the visitor has said meanwhile.
        if (isSaying && !answer) return;
        isSaying = false;
        draw(asked, !!answer);
        if (answer) channel?.postMessage(id);
      } catch (error) {
        // Nobody knows whether it was heard: the same word again changes nothing.
        if (answer) {
          isSaying = false;
          drawn = "";
          fill(below, trouble(failureText(words, (error as Failure).code), words[W.retry], () => void call(answer)));
          below.querySelector("button")?.focus();
        } else later(LOOK_AGAIN_MS);
      }
    };
    const later = (ms: number): void => {
      timer = setTimeout(() => void call(), Math.min(ms, 2 ** 31 - 1));
    };
    const draw = (asked: Confirmation, isOwn: boolean): void => {
      const { state, text, expires_at: end } = asked;
      if (state === "confirmed") later(LOOK_AGAIN_MS);
      else if (state === "asked") later(Date.parse(end) - Date.now() + LATE_MS);
      if (state === "asked" || state === "confirmed") open.set(id, () => void call());
      else open.delete(id);
      // What is the same is not drawn anew: it may have the focus.
      if (state === drawn) return;
      drawn = state;
      const had = card.contains(shadow.activeElement);
      if (state === "asked") {
        const time = new Intl.DateTimeFormat(speech.language, { timeStyle: "short" }).format(new Date(end));
        const yes = chip(textOf(words, C.confirmChange), () => void call("yes"));
        yes.classList.add("yes");
        fill(
          below,
          h("div", { class: "answers" }, yes, chip(textOf(words, C.declineChange), () => void call("no"))),
          h("p", { class: "status" }, textOf(words, C.answerUntil).replace("{}", time)),
        );
        return;
      }
      const line = h("p", { class: "outcome " + state, role: "status", tabindex: "-1", dir: "auto" }, state === "confirmed" && dots(), text || textOf(words, TOLD[state]));
      fill(below, line);
      if (isOwn || had) line.focus();
    };
    fill(place, card);
    draw(first, false);
    // What comes from a log may be older than what another tab has answered.
    if (first.state === "asked") void call();
  };
};

(document.currentScript as PartScript<OpenConfirm>).exported = openConfirm;
