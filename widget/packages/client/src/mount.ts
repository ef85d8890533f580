import type { SignedUser } from "../../../src/contract.js";
import type { DocentEvents, DocentWidget } from "../../../src/docent.js";

/** What the script tag of the widget says, and who is signed in. */
export interface WidgetOptions {
  /** Where your Docent is, such as "https://chat.example.com" or "https://example.com/docent". */
  base: string;
  /** The agent's id. */
  agent: string;
  color?: string | undefined;
  position?: "left" | "right" | undefined;
  label?: string | undefined;
  icon?: "chat" | "help" | "spark" | "picture" | undefined;
  /** The fingerprint of the agent's picture, for the launcher's icon "picture". */
  picture?: string | undefined;
  theme?: "light" | "dark" | "auto" | undefined;
  /** BCP 47, such as "de"; else the language of the page. */
  locale?: string | undefined;
  /** The panel is open at once, without the focus. */
  open?: boolean | undefined;
  /** The panel is wide, or narrow, until the visitor says otherwise; else as the agent's theme has it. */
  wide?: boolean | undefined;
  /** "none": the website has a launcher of its own. */
  launcher?: "own" | "none" | undefined;
  /** "same": links to pages of the website open in the same tab, where the panel goes on. */
  links?: "new" | "same" | undefined;
  /** False: what the page says is not read. */
  pageContext?: boolean | undefined;
  /** Who is signed in on the website, as its server has signed it. */
  user?: SignedUser | undefined;
  /** True: the agent's invitations stand beside the closed launcher, where there is one. */
  invitations?: boolean | undefined;
  /** Of a content security policy that asks for one. */
  nonce?: string | undefined;
  /** The element that the conversation fills, in place of a launcher on top of the page. */
  into?: HTMLElement | undefined;
  /** With `into`: "page" takes the height of the window. */
  mode?: "inline" | "page" | undefined;
}

export type { DocentEvents as WidgetEvents };

/** A widget that is there, or about to be: calls wait until it is. */
export interface MountedWidget {
  /** Resolves once the widget is on the page; rejects where its script cannot be loaded. */
  ready: Promise<void>;
  open(): void;
  close(): void;
  ask(text: string): void;
  /** Another person, or nobody, is signed in. */
  identify(user?: SignedUser): void;
  on<Name extends keyof DocentEvents>(name: Name, listener: (detail: DocentEvents[Name]) => void): void;
  /** Takes the widget off the page. */
  unmount(): void;
}

/** Whose widget an agent's is to be, and who has put it there. */
const wanted = new Map<string, symbol>();
const placed = new Map<string, symbol>();

const widgetOf = (agent: string): DocentWidget | undefined => (window.Docent as DocentWidget | undefined)?.agents?.[agent];

/** Puts the widget of an agent on the page, in place of one that an earlier call has put there. For browsers alone. */
export function mountWidget(options: WidgetOptions): MountedWidget {
  const { base, agent, user, nonce, into, invitations, ...looks } = options;
  const mine = Symbol(agent);
  wanted.set(agent, mine);
  const waiting: ((widget: DocentWidget) => void)[] = [];
  let widget: DocentWidget | undefined;
  const whenThere = (act: (widget: DocentWidget) => void): void => {
    if (widget) act(widget);
    else waiting.push(act);
  };
  const tag = (name: string): HTMLScriptElement => {
    const script = document.createElement("script");
    script.src = base.replace(/\/?$/, "/widget/" + name + ".js");
    if (nonce) script.nonce = nonce;
    script.dataset.agent = agent;
    return script;
  };
  const script = tag(into ? "inline" : "widget");
  for (const [name, value] of Object.entries(looks)) {
    if (value != null) script.dataset[name] = name === "pageContext" ? (value ? "on" : "off") : String(value);
  }
  if (into) {
    into.dataset.docent = agent;
    script.dataset.target = `[data-docent="${CSS.escape(agent)}"]`;
  }
  const ready = new Promise<void>((resolve, reject) => {
    const fail = (): void => reject(new Error(`Docent: no widget came from ${script.src}: is "base" the address of your Docent?`));
    const arrive = (): void => {
      if (wanted.get(agent) !== mine) {
        // Taken away before it came; what another call has put there is not ours to remove.
        if (!placed.has(agent)) widgetOf(agent)?.destroy();
        return resolve();
      }
      placed.set(agent, mine);
      widget = widgetOf(agent);
      if (!widget) return fail();
      if (user) widget.identify(user);
      for (const act of waiting.splice(0)) act(widget);
      // It finds this widget and no later one, and leaves the page with it.
      if (invitations) widget.element.append(tag("invite"));
      resolve();
    };
    // While the page is being read, the script has run and its widget is yet to come.
    script.onload = () => (document.readyState === "loading" ? addEventListener("DOMContentLoaded", arrive) : arrive());
    script.onerror = fail;
  });
  ready.catch((error: unknown) => console.error(error));
  // One that an earlier call has left there has other options.
  if (placed.delete(agent)) widgetOf(agent)?.destroy();
  document.head.append(script);
  return {
    ready,
    open: () => whenThere((there) => there.open()),
    close: () => whenThere((there) => there.close()),
    ask: (text) => whenThere((there) => there.ask(text)),
    identify: (person) => whenThere((there) => void (person ? there.identify(person) : there.reset())),
    on: (name, listener) => whenThere((there) => void there.on(name, listener)),
    unmount() {
      script.remove();
      if (wanted.get(agent) !== mine) return;
      wanted.delete(agent);
      placed.delete(agent);
      widget?.destroy();
      widget = undefined;
    },
  };
}
