import { PANEL } from "docent:parts";
import frameWords from "docent:english-frame";
import type { SignedUser, Theme } from "./contract.js";
import type { DocentCall, DocentEvents, DocentLooks, DocentWidget } from "./docent.js";
import css from "./frame.css";
import { placeOnPage } from "./host.js";
import { Launcher } from "./launcher.js";
import { looksOf, pictureUrl, type Options } from "./options.js";
import { PanelFrame } from "./panel_frame.js";
import { loadPart } from "./part_file.js";
import type { EventName, OpenPanel, Panel, Shell } from "./shell.js";
import { speechFor, type Speech } from "./speech.js";
import { browserStore, type Kept, type Stay } from "./store.js";
import { isAtLeft, remOf, themeCss } from "./theme.js";
import { W, type Words } from "./words.js";

type Listener = (detail: never) => void;

/** What a page may call by its name, and hear of. */
const CALLS = /^(open|close|toggle|ask|identify|update|reset|destroy|on)$/;
const EVENTS = /^(ready|open|close|message|answer|citation_click|feedback|gap|unread|handover|error|invitation)$/;

/** As the panel does: frame.css. */
const FULL_SCREEN_PX = 480;

/** One agent on one page: what a page calls, the launcher and the panel's frame. What is in the panel comes with its own script
 * (`Conversation`) when the panel is first opened. */
export class Widget implements DocentWidget {
  /** Every widget of the page by its agent's id. */
  readonly agents: Record<string, DocentWidget>;
  readonly #options: Options;
  readonly #store;
  readonly #tab;
  readonly element = document.createElement("docent-widget");
  readonly #launcher: Launcher;
  readonly #themeSheet = new CSSStyleSheet();
  readonly #gone = new AbortController();
  readonly #listeners = new Map<EventName, Set<Listener>>();
  readonly #above: number;
  readonly #speech: Speech;
  readonly #words: Partial<Words> = { ...frameWords };
  readonly #toAsk: string[] = [];
  #frame: PanelFrame | undefined;
  #panel: Panel | undefined;
  #isOpen = false;
  #isLoading = false;
  #isReady = false;
  #known: Promise<void> | undefined;
  #settle: ((error?: Error) => void) | undefined;
  readonly #applyMode: () => void;
  #speaking: Promise<void> | undefined;
  #user: SignedUser | undefined;
  #theme: Theme | null | undefined;
  #returnFocusTo: Element | null = null;

  constructor(options: Options, agents: Record<string, DocentWidget> = {}) {
    this.#options = options;
    this.#above = Object.keys(agents).length;
    this.agents = agents;
    agents[options.agentId] = this;
    this.#store = browserStore<Kept>(options.agentId, "localStorage");
    this.#tab = browserStore<Stay>(options.agentId, "sessionStorage");
    this.#speech = speechFor(options.locale);
    this.#launcher = new Launcher(this.#speech, {
      toggle: () => this.toggle(),
      approach: () => this.#prepare(),
    });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    const shadow = this.element.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet, this.#themeSheet];
    shadow.append(this.#launcher.root);
    this.#applyMode = placeOnPage(this.element, options, this.#gone.signal);
    // Until this page is told the theme, an earlier one's stands.
    this.#wear(this.#store.read().theme);
  }

  /** Everything that was said before it has been heard. */
  begin(): void {
    for (const kind of ["click", "pointerover"]) {
      document.addEventListener(kind, (event) => this.#heed(event), { signal: this.#gone.signal });
    }
    this.start();
    this.#isReady = true;
    this.emit("ready", {});
  }

  /** What of the page has `data-docent-open` opens and closes the panel as the launcher does, of the agent that it names, else of the
   * first; with `data-docent-ask` it asks that. */
  #heed(event: Event): void {
    // The page itself is within nothing.
    const [at] = event.composedPath() as Partial<Element>[];
    const opener = at?.closest?.("[data-docent-open],[data-docent-ask]");
    if (!opener || (opener.getAttribute("data-docent-open") || Object.keys(this.agents)[0]) !== this.#options.agentId) return;
    if (event.type !== "click") return this.#prepare();
    event.preventDefault();
    const asked = opener.getAttribute("data-docent-ask");
    if (asked) this.ask(asked);
    else this.toggle();
  }

  /** Makes what a click will show before there is one, which is then the shorter. */
  #prepare(): void {
    this.#fetch().catch(() => undefined);
    this.#frame ??= this.#build();
  }

  /** As the visitor has left it on the page before, or has it in another tab; else as the website says. */
  start(): void {
    const { open, user, awaits } = this.#tab.read();
    // What a person has left is not for somebody else, nor for a page that has yet to say who is there.
    if (user && user !== this.#user?.userId) return;
    // Nobody who follows a link may find the page behind a chat that fills the screen.
    const isRoomy = Math.min(innerWidth, innerHeight) > FULL_SCREEN_PX;
    if (open ? isRoomy : open ?? this.#options.open) this.open();
    else if (awaits || (isRoomy && open == null && this.#store.read().open)) void this.#load((this.#frame ??= this.#build()));
  }

  /** Opens the panel. Focus moves in only where a visitor's own act led here, so that no page can steal it. */
  open(): void {
    if (this.#isGone() || this.#isOpen) return;
    this.#isOpen = true;
    const active = document.activeElement;
    this.#returnFocusTo = active === this.element ? null : active;
    this.#frame ??= this.#build();
    const isAct = navigator.userActivation.isActive;
    this.#frame.panel.hidden = false;
    this.#frame.panel.toggleAttribute("data-still", !isAct);
    this.#launcher.show(true);
    if (this.#panel) this.#panel.opened();
    else void this.#load(this.#frame);
    if (isAct) this.#frame.focus();
    this.emit("open", {});
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const hadFocus = document.activeElement === this.element;
    this.#frame!.panel.hidden = true;
    this.#launcher.show(false);
    this.#panel?.closed();
    if (hadFocus) {
      const before = this.#returnFocusTo;
      if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
      else this.#launcher.button.focus({ preventScroll: true });
    }
    this.emit("close", {});
  }

  toggle(): void {
    if (this.#isOpen) this.close();
    else this.open();
  }

  ask(text: string): void {
    if (!text.trim() || this.#isGone()) return;
    if (this.#panel) return this.#panel.ask(text);
    this.#toAsk.push(text);
    this.open();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Says who is signed in on the website, by a signature that its server made. The same person again changes nothing. */
  identify(user: SignedUser): Promise<void> {
    if (user.userId !== this.#user?.userId) this.#become(user);
    else if (user.hash !== this.#user.hash) {
      this.#awaitProof(user);
      this.#panel?.prove();
    }
    return this.#known!;
  }

  update(looks: DocentLooks): void {
    Object.assign(this.#options, looksOf({ ...looks }));
    if (looks.wide != null && this.#store.read().wide != null) this.#store.keep({ wide: undefined });
    this.#applyMode();
    this.#wear(this.#theme);
    this.#panel?.renew();
  }

  /** Forgets the visitor on this device: at sign-out, so that the next person starts with nothing. */
  reset(): void {
    this.#become();
  }

  #become(user?: SignedUser): void {
    this.#settled(Object.assign(new Error("Somebody else was named."), { code: "superseded" }));
    this.#awaitProof(user);
    // A name that this browser kept is somebody else's now.
    this.#store.keep(user && this.#store.read().theme ? { anonymous_id: undefined, unsent: undefined } : undefined);
    const { open, user: before } = this.#tab.read();
    if (user && user.userId === before) this.start();
    else {
      this.#tab.keep();
      if (user && open) this.#tab.keep({ open });
    }
    this.#panel?.forget();
  }

  #awaitProof(user?: SignedUser): void {
    this.#user = user;
    // A promise that still waits waits for this one.
    if (this.#settle) return;
    this.#known = new Promise((resolve, reject) => {
      this.#settle = (error) => (error ? reject(error) : resolve());
    });
    // Whoever does not ask is not told.
    this.#known.catch(() => undefined);
  }

  #settled(error?: Error): void {
    this.#settle?.(error);
    this.#settle = undefined;
  }

  on<Name extends EventName>(name: Name, listener: (detail: DocentEvents[Name]) => void): () => void {
    if (!EVENTS.test(name)) console.error(`Docent: there is no event "${name}".`);
    if (name === "ready" && this.#isReady) queueMicrotask(() => listener({} as never));
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** A call by its name, as pages queue them before the script has loaded. */
  push([name, ...args]: DocentCall): void {
    if (!CALLS.test(name)) return console.error(`Docent: there is no call "${name}".`);
    void (this[name] as (...args: unknown[]) => unknown)(...args);
  }

  destroy(): void {
    delete this.agents[this.#options.agentId];
    this.#gone.abort();
    this.element.remove();
    // What is called from now on waits for the next script.
    if (window.Docent === this) window.Docent = Object.values(this.agents)[0] ?? [];
  }

  #isGone(): boolean {
    if (this.#gone.signal.aborted) console.error("Docent: this widget was destroyed.");
    return this.#gone.signal.aborted;
  }

  #build(): PanelFrame {
    const widen = (): void => {
      this.#store.keep({ wide: !this.#isWide });
      this.#wear(this.#theme);
    };
    const frame = new PanelFrame(this.#speech, this.#words, () => this.close(), widen);
    // The launcher stays as it is drawn: a click whose target was drawn anew meanwhile is none.
    frame.wide.setAttribute("aria-pressed", String(this.#isWide));
    // Nobody is greeted in a language that is about to change.
    if (this.#speech.language === "en") frame.speak(this.#words as Words);
    frame.panel.hidden = true;
    this.#launcher.root.append(frame.panel);
    return frame;
  }

  /** The panel's script and the words of the page's language, both once; what failed is tried again at the next call. */
  async #fetch(): Promise<OpenPanel> {
    this.#speaking ??= this.#fetchWords();
    const [openPanel] = await Promise.all([loadPart<OpenPanel>(this.#options.files, PANEL), this.#speaking]);
    return openPanel;
  }

  async #fetchWords(): Promise<void> {
    const { language } = this.#speech;
    if (language === "en") return;
    const response = await fetch(this.#options.files + "words/" + language + ".json", { credentials: "omit" }).catch(() => null);
    if (response?.ok) Object.assign(this.#words, await response.json());
    else this.#speaking = undefined;
  }

  async #load(frame: PanelFrame): Promise<void> {
    if (this.#isLoading || this.#panel) return;
    this.#isLoading = true;
    frame.wait();
    try {
      const openPanel = await this.#fetch();
      // Where it is here already, in a task of its own after the click's.
      await new Promise((resolve) => setTimeout(resolve));
      if (this.#gone.signal.aborted) return;
      frame.speak(this.#words as Words);
      this.#panel = openPanel(this.#shell(frame));
      if (this.#isOpen) this.#panel.opened();
      else this.#panel.expect();
      for (const text of this.#toAsk) this.#panel.ask(text);
      if (frame.isSent) frame.submit(false);
    } catch {
      const again = (): void => {
        frame.focus();
        void this.#load(frame);
      };
      frame.fail(this.#words[navigator.onLine ? W.cut : W.offline]!, this.#words[W.retry]!, again);
      addEventListener("online", () => void this.#load(frame), { once: true, signal: this.#gone.signal });
    }
    this.#isLoading = false;
  }

  #shell(frame: PanelFrame): Shell {
    return {
      options: this.#options,
      store: this.#store,
      tab: this.#tab,
      speech: this.#speech,
      words: this.#words,
      launcher: this.#launcher,
      frame,
      signal: this.#gone.signal,
      user: () => this.#user,
      settle: (error) => this.#settled(error),
      agents: this.agents,
      load: (part) => loadPart(this.#options.files, part),
      open: () => this.open(),
      wear: (theme) => this.#wear(theme),
      emit: (name, detail) => this.emit(name, detail),
    };
  }

  get #isWide(): boolean {
    return this.#store.read().wide ?? this.#options.wide ?? !!this.#theme?.opens_wide;
  }

  #wear(theme: Theme | null | undefined): void {
    this.#theme = theme;
    this.element.toggleAttribute("data-wide", this.#isWide);
    this.#frame?.wide.setAttribute("aria-pressed", String(this.#isWide));
    const { color, label, position, icon, launcher } = this.#options;
    this.#themeSheet.replaceSync(
      themeCss({
        color: color ?? theme?.primary_color,
        radius: theme?.radius,
        isLeft: isAtLeft(position, theme?.position, this.#speech.direction),
        above: this.#above,
        rem: remOf(this.element),
      }),
    );
    const kind = icon ?? theme?.launcher_icon ?? "";
    const drawn = kind === "picture" && (theme?.picture ?? this.#options.picture);
    this.#launcher.dress(label ?? theme?.launcher_label ?? "", kind, launcher === "none", drawn && pictureUrl(this.#options, drawn));
  }

  /** Also for what invitations do, which come with a script of their own. */
  emit<Name extends EventName>(name: Name, detail: DocentEvents[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(detail as never);
      } catch (error) {
        // The page's mistake must not become ours.
        reportError(error);
      }
    }
  }
}
