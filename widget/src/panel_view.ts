import { chip, fill, h, icon, iconButton, ICONS } from "./element.js";
import { isRunning, type State, type Turn } from "./state.js";
import { dots, trouble, TurnView, type TurnActions } from "./turn_view.js";
import { failureText, stageText, W, type Speech, type Words } from "./words.js";

export interface PanelActions extends TurnActions {
  toggle(): void;
  close(): void;
  ask(text: string): void;
  stop(): void;
  fresh(): Promise<void>;
  connect(): void;
  notice(error: unknown): void;
}

const MAX_QUESTION = 4000;

/** The one place that draws: the launcher at once, the panel when it is first opened. */
export class PanelView {
  readonly root: HTMLElement;
  readonly launcher: HTMLButtonElement;
  readonly #label = h("span", { class: "label" });
  readonly #announcer = h("div", { class: "sr", role: "status", "aria-live": "polite" });
  readonly #turns = new Map<string, TurnView>();
  #panel: HTMLElement | null = null;
  #parts!: ReturnType<PanelView["build"]>;
  #drawn: State | null = null;
  #announced = "";

  constructor(
    readonly words: Words,
    readonly speech: Speech,
    readonly actions: PanelActions,
  ) {
    this.launcher = h(
      "button",
      {
        class: "launcher",
        part: "launcher",
        "aria-haspopup": "dialog",
        "aria-expanded": "false",
        "aria-label": speech.chat,
        click: () => actions.toggle(),
      },
    );
    // The page's own shortcuts must not fire while someone types a question.
    const stop = (event: Event): void => event.stopPropagation();
    this.root = h(
      "div",
      { class: "root", dir: speech.direction, lang: speech.language, keydown: stop, keyup: stop, keypress: stop },
      this.launcher,
      this.#announcer,
    );
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || !this.#drawn?.isOpen) return;
      event.preventDefault();
      actions.close();
    });
  }

  /** How the launcher looks and is called. */
  dress(text: string, name: string): void {
    this.#label.textContent = text;
    fill(this.launcher, icon(ICONS[name as "chat"] ?? ICONS.chat), this.#label);
    this.launcher.setAttribute("aria-label", text || this.speech.chat);
  }

  /** Moves focus in: to the question, or on a touch screen to the panel, where no keyboard jumps up. */
  focus(): void {
    const touch = matchMedia("(pointer: coarse)").matches;
    (touch ? this.#panel : this.#parts.input)?.focus({ preventScroll: true });
  }

  draw(state: State): void {
    const before = this.#drawn;
    if (before === state) return;
    this.#drawn = state;
    this.launcher.setAttribute("aria-expanded", String(state.isOpen));
    this.launcher.classList.toggle("away", state.isOpen);
    if (state.isOpen && !this.#panel) {
      this.#parts = this.build();
      this.#panel = this.#parts.panel;
      this.root.append(this.#panel);
    }
    if (!this.#panel) return;
    const shadow = this.root.getRootNode() as ShadowRoot;
    const focused = shadow.activeElement;
    const focusKey = focused?.closest("article") && (focused as HTMLElement).dataset.focus;
    const place = focused?.parentElement?.closest("article");
    this.#panel.hidden = !state.isOpen;
    if (before?.agent !== state.agent || before?.connection !== state.connection) this.#drawHead(state);
    this.#drawTurns(state, before);
    const running = isRunning(state.turns.at(-1));
    const { send, input, notice, fresh } = this.#parts;
    fresh.hidden = !state.turns.length;
    if (send.dataset.running !== String(running)) {
      send.dataset.running = String(running);
      send.title = this.words[running ? W.stop : W.send];
      send.setAttribute("aria-label", send.title);
      fill(send, icon(running ? ICONS.stop : ICONS.send));
    }
    send.disabled = !running && !input.value.trim();
    const warning = state.isOnline ? state.notice && failureText(this.words, state.notice) : this.words[W.offline];
    if (notice.textContent !== (warning ?? "")) notice.textContent = warning ?? "";
    this.#announce(state);
    if (state.isOpen && focused && !shadow.activeElement) {
      // What had focus was drawn anew or is gone.
      const again = focusKey && place?.isConnected && place.querySelector<HTMLElement>(`[data-focus=${focusKey}]`);
      if (again) again.focus({ preventScroll: true });
      else this.focus();
    }
  }

  private build() {
    const { words, actions } = this;
    const name = h("bdi");
    const avatar = h("span", { class: "avatar", "aria-hidden": "true" });
    const fresh = iconButton(words[W.fresh], ICONS.fresh, () => void actions.fresh());
    const intro = h("div");
    const list = h("div", { class: "turns" });
    const log = h("div", { class: "log", part: "log", role: "log", "aria-live": "off", tabindex: 0 }, intro, list);
    const input = h("textarea", {
      rows: 1,
      maxlength: MAX_QUESTION,
      "aria-label": words[W.placeholder],
      placeholder: words[W.placeholder],
      enterkeyhint: "send",
      dir: "auto",
    });
    const grow = h("div", { class: "grow" }, input);
    // The twin behind the field gives it its height: no measuring, no inline style.
    const mirror = (): void => grow.setAttribute("data-text", input.value + " ");
    const send = h("button", { class: "send" });
    const submit = (event: Event): void => {
      event.preventDefault();
      if (isRunning(this.#drawn?.turns.at(-1))) {
        if (event.type === "submit") actions.stop();
        return;
      }
      const text = input.value.trim();
      if (!text) return;
      input.value = "";
      mirror();
      actions.ask(text);
      input.focus();
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
    });
    input.addEventListener("input", () => {
      mirror();
      send.disabled = send.dataset.running !== "true" && !input.value.trim();
    });
    // By law at first sight, before anything can be asked.
    const disclosure = h("p", { class: "note", id: "disclosure", dir: "auto" }, words[W.note]);
    const notice = h("p", { class: "notice", role: "status" });
    const person = h("button", { class: "link", hidden: true, click: () => void actions.withPeople((people) => people.call()) }, words[W.person]);
    const panel = h(
      "section",
      { class: "panel", part: "panel", role: "dialog", "aria-describedby": "disclosure", tabindex: -1 },
      h("header", { part: "header" }, avatar, h("h2", {}, name), fresh, iconButton(words[W.close], ICONS.close, () => actions.close())),
      disclosure,
      log,
      notice,
      h(
        "form",
        { class: "composer", part: "composer", submit },
        grow,
        send,
      ),
      h("p", { class: "note" }, person),
    );
    panel.addEventListener("focusout", ({ relatedTarget: to }) => {
      // Full screen, the page behind is out of sight: focus that runs out goes round.
      if (this.#drawn?.isOpen && panel.clientWidth === innerWidth && !(to && panel.contains(to as Node))) panel.focus();
    });
    return { panel, name, avatar, fresh, intro, list, log, input, send, notice, person, disclosure };
  }

  #drawHead(state: State): void {
    const { name, avatar, intro, panel, log, person, disclosure } = this.#parts;
    disclosure.textContent = state.agent?.disclosure?.text || this.words[W.note];
    person.hidden = !state.agent?.live_chat;
    const title = state.agent?.name ?? "";
    name.textContent = title;
    avatar.textContent = [...title][0]?.toUpperCase() ?? "";
    panel.setAttribute("aria-label", title || this.speech.chat);
    log.setAttribute("aria-label", title || this.speech.chat);
    if (state.connection === "ready" && state.agent) {
      fill(
        intro,
        h("p", { class: "greeting", dir: "auto" }, state.agent.theme?.greeting || this.words[W.greeting]),
        h(
          "div",
          { class: "starters" },
          ...(state.agent.starter_prompts ?? []).map((prompt) =>
            chip(prompt, () => {
              this.actions.ask(prompt);
              this.focus();
            }),
          ),
        ),
      );
    } else if (state.connection === "failed") {
      const code = state.refusal;
      const hopeless = /refused|found|invalid|unauth/.test(code ?? "");
      const text = hopeless ? this.words[W.refused] : failureText(this.words, code);
      fill(intro, trouble(text, this.words[W.retry], !hopeless && ((): void => this.actions.connect())));
    } else {
      fill(intro, dots());
    }
  }

  #drawTurns(state: State, before: State | null): void {
    if (before?.turns === state.turns && before.isOpen === state.isOpen) return;
    const { list, intro, log } = this.#parts;
    // Who has scrolled up to read stays there.
    const stick = log.scrollHeight - log.scrollTop - log.clientHeight < 40 || state.turns.length !== before?.turns.length;
    const kept = new Set(state.turns.map((turn) => turn.id));
    for (const [id, view] of this.#turns) {
      if (kept.has(id)) continue;
      view.element.remove();
      this.#turns.delete(id);
    }
    // From the last, so that each is put before the next one, whatever else stands between them.
    let after: Element | null = null;
    for (const turn of [...state.turns].reverse()) {
      let view = this.#turns.get(turn.id);
      if (!view) {
        view = new TurnView(turn, this.words, this.speech.language, this.actions);
        this.#turns.set(turn.id, view);
        list.insertBefore(view.element, after);
      }
      view.draw(turn, state.agent?.fallback);
      after = view.element;
    }
    intro.classList.toggle("talking", state.turns.length > 0);
    if (stick) log.scrollTop = log.scrollHeight;
  }

  /** Speaks the stages and the whole answer, never a token. */
  #announce(state: State): void {
    const turn: Turn | undefined = state.turns.at(-1);
    const view = turn && this.#turns.get(turn.id);
    if (!turn || !view || !state.isOpen) return;
    const isAwaited = this.#announced === turn.id;
    if (isRunning(turn)) {
      this.#announced = turn.id;
      this.#say(turn.isReconnecting ? this.words[W.reconnecting] : stageText(this.words, turn.answer ? "writing" : turn.stage));
    } else if (turn.status === "failed") {
      this.#say(failureText(this.words, turn.error));
    } else if (isAwaited) {
      // History is there to be read, not to be read out.
      this.#say(view.spoken);
    }
  }

  #say(text: string): void {
    if (this.#announcer.textContent !== text) this.#announcer.textContent = text;
  }
}
