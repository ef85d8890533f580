import close from "docent:close-words";
import type { DocentEvents, DocentWidget } from "./docent.js";
import { h, iconButton } from "./element.js";
import { ICONS } from "./icons.js";
import css from "./invite.css";
import { isMeant } from "./page_pattern.js";
import { browserStore, canKeep, type Invited, type Kept, type Stay } from "./store.js";

/** What the server says of one: all of it is text. */
interface Invitation {
  name: string;
  text: string;
  question: string | null;
  pages: string[];
  after_seconds: number;
}

/** On screens so narrow it stands above what the page has at its bottom, and goes once somebody reads on. */
const NARROW_PX = 480;

type Inviting = DocentWidget & { emit(name: "invitation", detail: DocentEvents["invitation"]): void };

/** The invitations of one agent on one page: one of them is shown until the page is loaded anew. Nothing that a visitor did is sent, and
 * nothing is stored before one is shown. */
export class Invitations {
  readonly #agentId: string;
  readonly #files: string;
  readonly #shown;
  readonly #visit;
  /** Ends with the first one, or when the panel opens. */
  readonly #over = new AbortController();
  #widget!: Inviting;

  constructor(agentId: string, files: string) {
    this.#agentId = agentId;
    this.#files = files;
    this.#shown = browserStore<Invited>(agentId + ":invited", "localStorage");
    this.#visit = browserStore<Invited>(agentId + ":invited", "sessionStorage");
    // A browser that remembers nothing would show the same on every page.
    if (!canKeep() || this.#visit.read().dismissed) return;
    // The widget's own tag may come later than this one.
    const watch = new MutationObserver(() => this.#find(watch));
    watch.observe(document.documentElement, { childList: true });
    this.#find(watch);
  }

  #find(watch: MutationObserver): void {
    const found = window.Docent;
    const widget = found && !Array.isArray(found) ? found.agents[this.#agentId] : undefined;
    // One that stands in the page has no launcher.
    if (widget?.element.parentNode !== document.documentElement) return;
    watch.disconnect();
    // The same tag twice, as after a client-side navigation, still invites once.
    if (widget.element.hasAttribute("data-invites")) return;
    widget.element.setAttribute("data-invites", "");
    this.#widget = widget as Inviting;
    widget.on("open", () => this.#over.abort());
    if (!this.#wasOpen) void this.#fetch();
  }

  /** In this visit: here, on a page before, or in another tab. */
  get #wasOpen(): boolean {
    const isOpenElsewhere = browserStore<Kept>(this.#agentId, "localStorage").read().open;
    return this.#widget.isOpen || this.#over.signal.aborted || !!isOpenElsewhere || browserStore<Stay>(this.#agentId, "sessionStorage").read().open != null;
  }

  /** By another agent's panel, or invitation. */
  get #isTaken(): boolean {
    return Object.values(this.#widget.agents).some(({ isOpen, element }) => isOpen || element.shadowRoot!.querySelector(".invite"));
  }

  get #root(): HTMLElement {
    return this.#widget.element.shadowRoot!.querySelector<HTMLElement>(".root")!;
  }

  async #fetch(): Promise<void> {
    const address = `${this.#files}invitations/${this.#agentId}/${this.#root.lang}.json`;
    const response = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" }).catch(() => null);
    if (!response?.ok) return;
    const { items } = (await response.json()) as { items: Invitation[] };
    if (items.length > 0) this.#wait(items);
  }

  /** On each page anew, also where the website changes it without loading another. */
  #wait(items: readonly Invitation[]): void {
    const { signal } = this.#over;
    let timers: number[] = [];
    const restart = (): void => {
      timers.forEach((timer) => clearTimeout(timer));
      if (signal.aborted) return;
      const fitting = items.filter(({ name, pages }) => isMeant(pages, location) && !this.#known.includes(name));
      timers = fitting.map((each) => window.setTimeout(() => this.#offer(each), each.after_seconds * 1000));
    };
    const { navigation } = window as { navigation?: EventTarget };
    let { href } = location;
    const moved = (): void => {
      if (href !== (href = location.href)) restart();
    };
    navigation?.addEventListener("currententrychange", moved, { signal });
    addEventListener("popstate", moved, { signal });
    signal.addEventListener("abort", restart);
    restart();
  }

  get #known(): readonly string[] {
    return this.#shown.read().shown ?? [];
  }

  /** Now, or when somebody looks at the page. */
  #offer(invitation: Invitation): void {
    const { signal } = this.#over;
    const look = (): void => {
      if (document.hidden || signal.aborted || this.#wasOpen || this.#isTaken || !this.#widget.element.isConnected) return;
      // Another tab may have been first.
      if (!isMeant(invitation.pages, location) || this.#known.includes(invitation.name)) return;
      this.#over.abort();
      this.#show(invitation);
    };
    document.addEventListener("visibilitychange", look, { signal });
    look();
  }

  // Quoted: the build shortens the name of a property.
  #show({ name, text, "question": question }: Invitation): void {
    const widget = this.#widget;
    const root = this.#root;
    const launcher = root.querySelector<HTMLElement>(".launcher")!;
    const sheet = new CSSStyleSheet();
    // Above every launcher of the page.
    const others = Object.keys(widget.agents).length - 1;
    sheet.replaceSync(css + `.invite{margin-bottom:calc(${4.5 * others}*var(--rem))}`);
    const shadow = widget.element.shadowRoot!;
    shadow.adoptedStyleSheets.push(sheet);
    const gone = new AbortController();
    const { signal } = gone;
    const tell = (act: DocentEvents["invitation"]["act"]): void => widget.emit("invitation", { name, act });
    const dismiss = (): void => {
      const hadFocus = bubble.contains(shadow.activeElement);
      gone.abort();
      this.#visit.keep({ dismissed: true });
      if (hadFocus) launcher.focus({ preventScroll: true });
      tell("dismissed");
    };
    const accept = (): void => {
      tell("accepted");
      if (question) widget.ask(question);
      else widget.open();
    };
    const bubble = h(
      "div",
      { class: "invite", part: "invitation", role: "group", "aria-label": launcher.getAttribute("aria-label") },
      h("button", { class: "say", click: accept }, h("span", { dir: "auto" }, text), question && h("span", { class: "chip", dir: "auto" }, question)),
      iconButton(close[root.lang] ?? close.en!, ICONS.close, dismiss),
    );
    const announcer = root.querySelector(":scope > [role=status]")!;
    signal.addEventListener("abort", () => {
      bubble.remove();
      announcer.textContent = "";
    });
    document.addEventListener("keydown", ({ key }) => key === "Escape" && bubble.isConnected && dismiss(), { signal, capture: true });
    this.#giveWay(gone);
    launcher.before(bubble);
    announcer.textContent = text;
    this.#standBack(gone);
    this.#shown.keep({ shown: [...this.#known, name] });
    tell("shown");
  }

  /** Of a panel that opens, of whichever agent: the page may load another one after this. */
  #standBack(gone: AbortController): void {
    const known = new Set<DocentWidget>();
    const look = (): void => {
      for (const each of Object.values(this.#widget.agents)) {
        if (known.has(each)) continue;
        known.add(each);
        each.on("open", () => gone.abort());
        if (each.isOpen) gone.abort();
      }
    };
    const watch = new MutationObserver(look);
    watch.observe(document.documentElement, { childList: true });
    gone.signal.addEventListener("abort", () => watch.disconnect());
    look();
  }

  /** Where it covers what a page has at its bottom, for who reads on by half a screen. */
  #giveWay(gone: AbortController): void {
    const begun = new Map<EventTarget | null, number>();
    const read = ({ target }: Event): void => {
      if (innerWidth > NARROW_PX) return;
      const at = target instanceof Element ? target.scrollTop : scrollY;
      const from = begun.get(target) ?? at;
      begun.set(target, from);
      if (Math.abs(at - from) > innerHeight / 2) gone.abort();
    };
    document.addEventListener("scroll", read, { signal: gone.signal, capture: true, passive: true });
  }
}
