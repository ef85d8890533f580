/** The third file: what only visitors who want people need, the contact form and the chat with a person. */
import { CONFIRM, PROOF } from "docent:parts";
import { backoffMs } from "./backoff.js";
import type { Confirm, OpenConfirm } from "./confirm.js";
import { drawContact, drawWhy } from "./contact_view.js";
import type { Confirmation, Lead } from "./contract.js";
import type { OpenPeople } from "./desk.js";
import { chip, fill, h } from "./element.js";
import { uuid } from "./ids.js";
import css from "./people.css";
import type { PartScript } from "./part_file.js";
import { P, textOf } from "./people_words.js";
import { takePictures } from "./pictures.js";
import { PersonLine, type Line } from "./person_line.js";
import { PersonView } from "./person_view.js";
import type { ProveTo } from "./proof.js";
import { W } from "./words.js";

/** A server that wants a proof for the same question right after it got one would be asked without end. */
const PROVED_AGAIN_MS = 5000;

const openPeople: OpenPeople = (desk, client, { store, load, frame, signal: ended }, agent) => {
  const { words, actions } = desk;
  const failed = (error: unknown): void => actions.notice(error);
  const shadow = desk.root.getRootNode() as ShadowRoot;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets.push(sheet);
  const offer = (place: HTMLElement, message: string, person?: () => void): void => {
    const leave = (lead: Lead): Promise<unknown> => client.call("POST", "/leads", { ...lead, consent: true });
    drawContact(place, message, { words, person, fallback: agent?.fallback ?? {}, leave, failed });
  };
  const call = (): void => {
    // What went wrong before is over.
    actions.notice({ code: "" });
    line.ask();
  };
  let confirm: Confirm | undefined;
  let isResumed = false;
  let proven = "";
  let provedAt = 0;
  let kept = store.read().unsent ?? [];
  const changed = (now: Line): void => {
    view.draw(now, isResumed);
    // What comes from now on is new.
    if (now.state !== "none") isResumed = false;
    // What could not be sent is there after a reload, too.
    if (now.unsent === kept) return;
    kept = now.unsent;
    // Pictures are too large for what a browser keeps.
    const texts = kept.filter((each) => !each.picture);
    store.keep({ unsent: texts.length ? texts : undefined });
  };
  const line = new PersonLine(
    {
      call: (method, path, body) => client.call(method, path, body),
      wait: (ms, signal) => client.wait(ms, signal),
      backoffMs,
      isHidden: () => document.hidden,
      changed,
      // Whatever it was, it is not about what somebody wrote.
      failed: () => actions.notice({ code: "person" }),
    },
    kept,
  );
  const view = new PersonView(desk, {
    end: () => line.end(),
    offer: (place) => offer(place, ""),
    rate: async (rating) => {
      await client.call("POST", "/person/rating", { rating });
    },
    type: () => {
      client.call("POST", "/person/typing").catch(() => undefined);
    },
    picture: (number) => client.call("GET", "/person/pictures/" + number),
    askAgain: ({ message_id, text }) => {
      line.drop(message_id);
      actions.ask(text!);
    },
  });
  const wake = (): void => {
    // Looks only where it was looking.
    if (/waiting|talking/.test(line.now.state)) line.look();
  };
  const gone = new AbortController();
  const { signal } = gone;
  document.addEventListener("visibilitychange", wake, { signal });
  if (agent?.live_pictures) {
    takePictures(desk, textOf(words, P.sendPicture), () => line.now.state === "talking", (picture) => {
      line.say({ message_id: uuid(), picture });
    }, signal);
  }
  const ask = async (place: HTMLElement, asked: Confirmation): Promise<void> => {
    const open = await load<OpenConfirm>(CONFIRM);
    (confirm ??= open(desk, client, ended))(place, asked);
  };
  const cut = (question: string): HTMLElement => {
    const goOn = words[W.goOn] + ": ";
    const act = (): void => actions.ask(goOn + question.replace(goOn, ""));
    return h("div", { class: "cut" }, h("p", { class: "status" }, words[W.cutShort]), chip(words[W.goOn], act));
  };
  return {
    offer: (place, { confirmation: asked, question, isCut, isUnsure }) => {
      if (asked) return void ask(place, asked).catch(failed);
      // Where it is drawn above what is read, that stays in its place.
      frame.change(() => {
        const ways = h("div");
        fill(place, isCut && cut(question), ways);
        if (isUnsure) offer(ways, question, agent?.live_chat ? call : undefined);
      });
    },
    askWhy: (place, tell) => drawWhy(place, words, tell),
    call,
    look: (resumes) => {
      isResumed = resumes;
      line.look();
    },
    say: (text, isSure) => {
      const isHeard = isSure || line.now.state === "talking";
      if (isHeard) line.say({ message_id: uuid(), text });
      return isHeard;
    },
    mend: async (code, { message, turn_id }, clear) => {
      if (code === "handed_to_person") {
        // Called in another tab: what was asked here is for the person.
        line.say({ message_id: uuid(), text: message });
        clear();
      } else if (message !== proven || Date.now() - provedAt > PROVED_AGAIN_MS) {
        [proven, provedAt] = [message, Date.now()];
        await (await load<ProveTo>(PROOF))(client);
        actions.retry(turn_id);
      }
    },
    close: () => {
      gone.abort();
      line.close();
      view.close();
      shadow.adoptedStyleSheets = shadow.adoptedStyleSheets.filter((each) => each !== sheet);
    },
  };
};

(document.currentScript as PartScript<OpenPeople>).exported = openPeople;
