import type { Citation, Rating, SignedUser } from "./contract.js";

/** What a page may change while the widget is there; what is left out stays, null is as if the tag had never said it. */
export interface DocentLooks {
  /** "#rrggbb". */
  color?: string | null;
  position?: "left" | "right" | null;
  label?: string | null;
  icon?: "chat" | "help" | "spark" | "picture" | null;
  /** The fingerprint of the agent's picture, for the launcher's icon "picture". */
  picture?: string | null;
  theme?: "light" | "dark" | "auto";
  /** "none": the website has a launcher of its own. */
  launcher?: "own" | "none";
  /** "same": links to pages of your own website open in the same tab, where the panel goes on. */
  links?: "new" | "same";
  /** The panel is wide, or not: now, until the visitor says otherwise. */
  wide?: boolean | null;
  pageContext?: boolean;
  /** What the website tells of the visitor, such as a plan: unproven. All of it; what it leaves out is known no longer. */
  attributes?: Record<string, string>;
  /** The same by the website's server: a JSON object of texts as a text, and its signature. */
  signedAttributes?: string;
  attributesHash?: string;
}

/** What the widget tells of, with what it says then. */
export interface DocentEvents {
  /** Calls are heard from now on; whoever listens later hears it at once. */
  ready: object;
  open: object;
  close: object;
  message: { turn_id: string; message: string };
  answer: { turn_id: string; text: string; citations: readonly Citation[]; low_confidence?: boolean | undefined };
  citation_click: { turn_id: string; citation: Citation };
  feedback: { turn_id: string; rating: Rating; comment?: string };
  gap: { turn_id: string; message: string };
  /** How much has come while the panel was closed; 0 once it is open. */
  unread: { count: number };
  /** Of a chat with a person: somebody was asked for, is there, or has gone. */
  handover: { state: "none" | "waiting" | "talking" | "ended"; operator: string | null };
  /** What became of an invitation of that name beside the closed launcher. */
  invitation: { name: string; act: "shown" | "accepted" | "dismissed" };
  error: { turn_id?: string; code: string | undefined };
}

/** A call by its name, as pages queue them before the script has loaded. */
export type DocentCall =
  | ["open" | "close" | "toggle" | "reset" | "destroy"]
  | ["ask", question: string]
  | ["identify", user: SignedUser]
  | ["update", looks: DocentLooks]
  | { [Name in keyof DocentEvents]: ["on", name: Name, listener: (detail: DocentEvents[Name]) => void] }[keyof DocentEvents];

/** One agent on one page: `window.Docent` is the first of them. */
export interface DocentWidget {
  /** Every widget of the page by its agent's id. */
  readonly agents: Record<string, DocentWidget>;
  /** What stands on the page; it is gone after `destroy`. */
  readonly element: HTMLElement;
  readonly isOpen: boolean;
  open(): void;
  close(): void;
  toggle(): void;
  /** Opens the panel and asks. */
  ask(question: string): void;
  /** Says who is signed in on the website. Resolves when the server has taken the signature, which is when the panel opens; rejects
   * with an Error, whose `code` says why, where it refuses, or where somebody else is named before. */
  identify(user: SignedUser): Promise<void>;
  update(looks: DocentLooks): void;
  /** Forgets the visitor on this device. */
  reset(): void;
  /** Takes the widget off the page. */
  destroy(): void;
  /** Returns the call that stops listening. */
  on<Name extends keyof DocentEvents>(name: Name, listener: (detail: DocentEvents[Name]) => void): () => void;
  push(call: DocentCall): void;
}

declare global {
  interface Window {
    /** The one global: the page's first widget, or before the script has loaded and after `destroy` a list of calls to make. */
    Docent?: DocentWidget | DocentCall[];
  }
}
