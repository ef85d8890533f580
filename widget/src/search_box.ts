import type { Theme } from "./contract.js";
import { Client } from "./client.js";
import { fill, h, icon, iconButton } from "./element.js";
import { ICONS } from "./icons.js";
import { placeOnPage } from "./host.js";
import type { Options } from "./options.js";
import { pageAddress } from "./page_address.js";
import css from "./search.css";
import type { Facet, FoundPages } from "./search_contract.js";
import { actOption, facetButtons, keyHints, pageGroups } from "./search_view.js";
import { S, searchWords } from "./search_words.js";
import { speechFor } from "./speech.js";
import { browserStore, type Kept, type Stay } from "./store.js";
import { remOf, themeCss } from "./theme.js";

/** Milliseconds without another letter before the server is asked. */
const PAUSE_MS = 120;
const MOST_CHARS = 200;
/** Searches that are offered again. */
const MOST_RECENT = 5;
const CHAT = "M4 5h16v11H10l-5 4v-4H4Z";
const LENS = "M10.5 18a7.5 7.5 0 1 1 0-15 7.5 7.5 0 0 1 0 15ZM16 16l5 5";

/** The search of one agent on one page: a dialog that the shortcut opens, and whatever on the page has `data-docent-search`. */
export class SearchBox {
  readonly #options: Options;
  readonly #words: readonly string[];
  readonly #client: Client;
  readonly #store;
  readonly #tab;
  readonly #themeSheet = new CSSStyleSheet();
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #facets = h("div", { class: "facets" });
  /** What the visitor narrows the pages to, by the names of facets. */
  readonly #only = new URLSearchParams();
  readonly #note = h("p", { class: "note", role: "status" });
  readonly #dialog: HTMLDialogElement;
  readonly #rem: string;
  #asked = new AbortController();
  #timer = 0;
  #suggested: readonly string[] = [];

  constructor(options: Options, hasShortcut: boolean) {
    const speech = speechFor(options.locale);
    this.#options = options;
    this.#words = searchWords(speech.language);
    this.#store = browserStore<Kept>(options.agentId, "localStorage");
    this.#tab = browserStore<Stay>(options.agentId, "sessionStorage");
    this.#client = new Client({
      base: options.base,
      agentId: options.agentId,
      locale: options.locale,
      pageUrl: () => pageAddress(location.href),
      anonymousId: () => this.#store.read().anonymous_id,
      keepAnonymousId: (anonymous_id) => this.#store.keep({ anonymous_id }),
    });
    const label = this.#words[S.search]!;
    this.#list = h("div", { class: "list", role: "listbox", id: "found", "aria-label": label, hidden: true, click: () => this.#remember() });
    this.#input = h("input", {
      type: "text",
      role: "combobox",
      "aria-label": label,
      "aria-expanded": "false",
      "aria-controls": "found",
      "aria-autocomplete": "list",
      placeholder: label,
      maxlength: MOST_CHARS,
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "search",
      dir: "auto",
      "input": () => this.#wait(), // quoted: the build shortens the name of a property
    });
    this.#dialog = h(
      "dialog",
      {
        class: "box",
        "aria-label": label,
        dir: speech.direction,
        lang: speech.language,
        keydown: (event) => this.#key(event as KeyboardEvent),
        click: (event) => event.target === this.#dialog && this.#dialog.close(),
        close: () => this.#end(),
      },
      h("div", { class: "field" }, icon(LENS), this.#input, iconButton(this.#words[S.close]!, ICONS.close, () => this.#dialog.close())),
      this.#facets,
      this.#list,
      h("div", { class: "foot" }, this.#note, keyHints()),
    );
    const host = document.createElement("docent-search");
    const shadow = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets = [sheet, this.#themeSheet];
    shadow.append(this.#dialog);
    placeOnPage(host, options, new AbortController().signal);
    this.#rem = remOf(host);
    this.#wear(this.#store.read().theme);
    document.addEventListener("click", (event) => {
      if (event.target instanceof Element && event.target.closest("[data-docent-search]")) this.#open();
    });
    if (hasShortcut) document.addEventListener("keydown", (event) => this.#shortcut(event));
  }

  #shortcut(event: KeyboardEvent): void {
    const { key, altKey, defaultPrevented } = event;
    const isK = key.toLowerCase() === "k" && !event.shiftKey;
    // A slash that is typed somewhere is typed there; Shift may be a part of it.
    const isTyped = (event.composedPath()[0] as Element).matches?.(":read-write");
    const hasModifier = event.metaKey || event.ctrlKey;
    if (defaultPrevented || altKey || !(hasModifier ? isK : key === "/" && !isTyped)) return;
    event.preventDefault();
    if (this.#dialog.open) this.#dialog.close();
    else this.#open();
  }

  #open(): void {
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    this.#input.focus();
    this.#input.select();
    void this.#find();
    // The token is there by the time that a word is.
    this.#client.open().then(
      ({ agent }) => {
        this.#wear(agent.theme);
        this.#suggested = agent.starter_prompts ?? [];
        if (!this.#input.value) void this.#find();
      },
      () => undefined,
    );
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#asked.abort();
  }

  #wait(): void {
    this.#end();
    this.#timer = setTimeout(() => void this.#find(), PAUSE_MS) as unknown as number;
  }

  async #find(): Promise<void> {
    this.#end();
    const { signal } = (this.#asked = new AbortController());
    const typed = this.#input.value;
    if (!typed.trim()) return this.#show(this.#offers(), "");
    try {
      const response = await this.#client.call("GET", `/search?q=${encodeURIComponent(typed)}&${this.#only}`, null, signal);
      const { pages, facets } = (await response.json()) as FoundPages;
      if (signal.aborted) return;
      const count = this.#words[pages.length > 0 ? S.results : S.none]!.replace("{}", String(pages.length));
      this.#show([...this.#asking(typed.trim()), ...pageGroups(pages)], count, facets);
    } catch {
      if (!signal.aborted) this.#show(this.#asking(typed.trim()), this.#words[S.failed]!);
    }
  }

  /** The way to an answer, where the chat is on the page as well. */
  #asking(typed: string, path?: string): HTMLElement[] {
    const first = window.Docent;
    if (!first || Array.isArray(first)) return [];
    const widget = first.agents[this.#options.agentId] ?? first;
    const ask = (): void => {
      this.#dialog.close();
      widget.ask(typed);
    };
    return [actOption(path ? typed : this.#words[S.ask]!.replace("{}", typed), ask, path)];
  }

  /** Before anything is typed: what was searched in this tab, and the agent's starter questions. */
  #offers(): HTMLElement[] {
    const again = (typed: string, path: string): HTMLElement =>
      actOption(typed, () => {
        this.#input.value = typed;
        this.#input.focus();
        void this.#find();
      }, path);
    const suggested = this.#suggested.map((question) => this.#asking(question, CHAT)[0] ?? again(question, LENS));
    return [...this.#recent.map((typed) => again(typed, ICONS.past)), ...suggested];
  }

  get #recent(): readonly string[] {
    return this.#tab.read().searches ?? [];
  }

  /** What led to a page or an answer. */
  #remember(): void {
    const typed = this.#input.value.trim();
    if (typed) this.#tab.keep({ searches: [typed, ...this.#recent.filter((each) => each !== typed)].slice(0, MOST_RECENT) });
  }

  #show(options: HTMLElement[], note: string, facets: readonly Facet[] = []): void {
    fill(this.#facets, ...facetButtons(facets, this.#only, this.#dialog.lang, () => {
      this.#input.focus();
      void this.#find();
    }));
    fill(this.#list, ...options);
    const all = this.#all;
    all.forEach((option, at) => (option.id = "option-" + at));
    this.#list.hidden = all.length === 0;
    this.#input.setAttribute("aria-expanded", String(all.length > 0));
    // A page before the chat; nothing by an Enter before anything is typed.
    this.#choose(this.#input.value ? (all.find((option) => !option.matches(".ask")) ?? all[0]) : undefined);
    this.#note.textContent = note;
  }

  get #all(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>(".option")];
  }

  get #chosen(): HTMLElement | undefined {
    return this.#all.find((option) => option.ariaSelected === "true");
  }

  #choose(chosen: HTMLElement | undefined): void {
    for (const option of this.#all) option.setAttribute("aria-selected", String(option === chosen));
    if (chosen) this.#input.setAttribute("aria-activedescendant", chosen.id);
    else this.#input.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  }

  #key(event: KeyboardEvent): void {
    // An input method that composes a word has these keys to itself.
    if (event.isComposing || event.target !== this.#input) return;
    const all = this.#all;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && all.length > 0) {
      event.preventDefault();
      const at = Math.max(all.indexOf(this.#chosen!), step < 0 ? 0 : -1);
      this.#choose(all.at((at + step) % all.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      const modifiers = { ctrlKey: event.ctrlKey, metaKey: event.metaKey, shiftKey: event.shiftKey };
      // As a click would: with Ctrl or Cmd in another tab.
      this.#chosen?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true, ...modifiers }));
    }
  }

  #wear(theme: Theme | null | undefined): void {
    const { color } = this.#options;
    this.#themeSheet.replaceSync(themeCss({ color: color ?? theme?.primary_color, radius: theme?.radius, isLeft: false, above: 0, rem: this.#rem }));
  }
}
