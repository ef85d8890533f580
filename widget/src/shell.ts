import type { SignedUser, Theme } from "./contract.js";
import type { DocentEvents, DocentWidget } from "./docent.js";
import type { Launcher } from "./launcher.js";
import type { Options } from "./options.js";
import type { PanelFrame } from "./panel_frame.js";
import type { PartFile } from "./part_file.js";
import type { Speech } from "./speech.js";
import type { Kept, Stay, Store } from "./store.js";
import type { Words } from "./words.js";

export type EventName = keyof DocentEvents;

/** What the first script lends to the panel's. */
export interface Shell {
  options: Options;
  store: Store<Kept>;
  tab: Store<Stay>;
  speech: Speech;
  /** Of the page's language, as far as they have come; English ones are in each script. */
  words: Partial<Words>;
  launcher: Launcher;
  frame: PanelFrame;
  /** Ends with the widget. */
  signal: AbortSignal;
  /** Who is signed in on the website. */
  user(): SignedUser | undefined;
  /** Tells the page that the server knows who that is, or with an error that it does not. */
  settle(error?: Error): void;
  /** Every widget of the page. */
  agents: Record<string, DocentWidget>;
  load<T>(part: PartFile): Promise<T>;
  open(): void;
  /** Wears what the server said. */
  wear(theme: Theme | null | undefined): void;
  emit<Name extends EventName>(name: Name, detail: DocentEvents[Name]): void;
}

/** What the panel's script does for the first one. */
export interface Panel {
  opened(): void;
  closed(): void;
  /** Looks, while it is closed, for an answer that nobody has seen, or for another tab in which it is open. */
  expect(): void;
  ask(text: string): void;
  /** The website says something else of the visitor than before; the next call tells the server. */
  renew(): void;
  /** The website has a new signature for the same visitor: the server is told at once, and nothing is drawn anew. */
  prove(): void;
  /** Somebody else is here now, or nobody that we know. */
  forget(): void;
}

export type OpenPanel = (shell: Shell) => Panel;
