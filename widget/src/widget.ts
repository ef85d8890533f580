import { PANEL } from "docent:parts";
import frameWords from "docent:english-frame";
import type { SignedUser, Theme } from "./contract.js";
import css from "./frame.css";
import { placeOnPage } from "./host.js";
import { Launcher } from "./launcher.js";
import type { Options } from "./options.js";
import { PanelFrame } from "./panel_frame.js";
import { loadPart } from "./part_file.js";
import type { EventName, OpenPanel, Panel, Shell } from "./shell.js";
import { speechFor, type Speech } from "./speech.js";
import { browserStore, type Kept, type Stay } from "./store.js";
import { isAtLeft, remOf, themeCss } from "./theme.js";
import { W, type Words } from "./words.js";

/** `(window.Docent = window.Docent || []).push(["ask", "Where is my order?"])` */
export type QueuedCall = [name: string, ...args: unknown[]];
export type Listener = (detail: unknown) => void;

/** As the panel does: frame.css. */
const FULL_SCREEN_PX = 480;

/** One agent on one page: what a page calls, the launcher and the panel's frame. What is in the panel comes with its own script
 * (`Conversation`) when the panel is first opened. */
export class Widget {
  /** Every widget of the page by its agent's id. */
  readonly agents: Record<string, Widget>;
  readonly #options: Options;
  readonly #store;
  readonly #tab;
  readonly #host = document.createElement("docent-widget");
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
  #speaking: Promise<void> | undefined;
  #user: SignedUser | undefined;
  #returnFocusTo: Element | null = null;

  constructor(options: Options, agents: Record<string, Widget> = {}) {
    this.#options = options;
    this.#above = Object.keys(agents).length;
    this.agents = agents;
    agents[options.agentId] = this;
    this.#store = browserStore<Kept>(options.agentId, "localStorage");
    this.#tab = browserStore<Stay>(options.agentId, "sessionStorage");
    this.#speech = speechFor(options.locale);
    this.#launcher = new Launcher(this.#speech, {
      toggle: () => this.toggle(),
      approach: () => void this.#fetch().catch(() => undefined),
    });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    const shadow = this.#host.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet, this.#themeSheet];
    shadow.append(this.#launcher.root);
    placeOnPage(this.#host, options.theme, this.#gone.signal, options.into);
    // Until this page is told the theme, an earlier one's stands.
    this.#wear(this.#store.read().theme);
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
    if (this.#isOpen) return;
    this.#isOpen = true;
    const active = document.activeElement;
    this.#returnFocusTo = active === this.#host ? null : active;
    this.#frame ??= this.#build();
    const isAct = navigator.userActivation.isActive;
    this.#frame.panel.hidden = false;
    this.#frame.panel.toggleAttribute("data-still", !isAct);
    this.#launcher.show(true);
    if (this.#panel) this.#panel.opened();
    else void this.#load(this.#frame);
    if (isAct) this.#frame.focus();
    this.#emit("open", {});
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const hadFocus = document.activeElement === this.#host;
    this.#frame!.panel.hidden = true;
    this.#launcher.show(false);
    this.#panel?.closed();
    if (hadFocus) {
      const before = this.#returnFocusTo;
      if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
      else this.#launcher.button.focus({ preventScroll: true });
    }
    this.#emit("close", {});
  }

  toggle(): void {
    if (this.#isOpen) this.close();
    else this.open();
  }

  ask(text: string): void {
    if (!text.trim()) return;
    if (this.#panel) return this.#panel.ask(text);
    this.#toAsk.push(text);
    this.open();
  }

  /** Says who is signed in on the website, by a signature that its server made. The same person again changes nothing. */
  identify(user: SignedUser): void {
    if (user.userId !== this.#user?.userId || user.hash !== this.#user.hash) this.#become(user);
  }

  /** Forgets the visitor on this device: at sign-out, so that the next person starts with nothing. */
  reset(): void {
    this.#become();
  }

  #become(user?: SignedUser): void {
    this.#user = user;
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

  on(name: EventName, listener: Listener): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** A call by its name, as pages queue them before the script has loaded. */
  push([name, ...args]: QueuedCall): void {
    const call = this[name as "open"] as ((...args: unknown[]) => void) | undefined;
    call?.apply(this, args);
  }

  destroy(): void {
    delete this.agents[this.#options.agentId];
    this.#gone.abort();
    this.#host.remove();
  }

  #build(): PanelFrame {
    const frame = new PanelFrame(this.#speech, this.#words[W.close]!, () => this.close());
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
      load: (part) => loadPart(this.#options.files, part),
      open: () => this.open(),
      wear: (theme) => this.#wear(theme),
      emit: (name, detail) => this.#emit(name, detail),
    };
  }

  #wear(theme: Theme | null | undefined): void {
    const { color, label, position, icon } = this.#options;
    this.#themeSheet.replaceSync(
      themeCss({
        color: color ?? theme?.primary_color,
        radius: theme?.radius,
        isLeft: isAtLeft(position, theme?.position, this.#speech.direction),
        above: this.#above,
        rem: remOf(this.#host),
      }),
    );
    this.#launcher.dress(label ?? theme?.launcher_label ?? "", icon ?? theme?.launcher_icon ?? "");
  }

  #emit(name: EventName, detail: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(detail);
      } catch (error) {
        // The page's mistake must not become ours.
        reportError(error);
      }
    }
  }
}
