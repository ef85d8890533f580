import { mountWidget, type MountedWidget, type WidgetEvents, type WidgetOptions } from "./mount.js";

const ATTRIBUTES = ["base", "agent", "color", "position", "label", "icon", "picture", "theme", "locale", "open", "invitations", "wide", "launcher", "links", "page-context"] as const;
const EVENTS: readonly (keyof WidgetEvents)[] = ["open", "close", "message", "answer", "citation_click", "feedback", "gap", "unread", "handover", "invitation", "error"];

/** The class of `<docent-chat base="https://chat.example.com" agent="AGENT_ID">`: the widget is on the page for as long as the
 * element is. Events of the widget are events of the element, by their names after "docent:". */
function elementClass(): CustomElementConstructor {
  return class DocentChat extends HTMLElement {
    static readonly observedAttributes = ATTRIBUTES;
    #mounted: MountedWidget | undefined;
    #isDue = false;

    connectedCallback(): void {
      this.#renew();
    }

    attributeChangedCallback(): void {
      if (this.#mounted) this.#renew();
    }

    disconnectedCallback(): void {
      this.#mounted?.unmount();
      this.#mounted = undefined;
    }

    /** Once, however many attributes change at a time. */
    #renew(): void {
      if (this.#isDue) return;
      this.#isDue = true;
      queueMicrotask(() => {
        this.#isDue = false;
        this.#mounted?.unmount();
        this.#mounted = this.isConnected && this.getAttribute("agent") ? this.#mount() : undefined;
      });
    }

    #mount(): MountedWidget {
      const said = (name: string): string | undefined => this.getAttribute(name) ?? undefined;
      const mounted = mountWidget({
        base: said("base") ?? location.origin,
        agent: said("agent") ?? "",
        color: said("color"),
        position: said("position") as WidgetOptions["position"],
        label: said("label"),
        icon: said("icon") as WidgetOptions["icon"],
        picture: said("picture"),
        theme: said("theme") as WidgetOptions["theme"],
        locale: said("locale"),
        open: this.hasAttribute("open") || undefined,
        invitations: this.hasAttribute("invitations") || undefined,
        wide: this.hasAttribute("wide") ? said("wide") !== "false" : undefined,
        launcher: said("launcher") as WidgetOptions["launcher"],
        links: said("links") as WidgetOptions["links"],
        pageContext: said("page-context") === "off" ? false : undefined,
      });
      for (const name of EVENTS) mounted.on(name, (detail) => this.dispatchEvent(new CustomEvent("docent:" + name, { detail })));
      return mounted;
    }
  };
}

if (typeof customElements !== "undefined" && !customElements.get("docent-chat")) customElements.define("docent-chat", elementClass());
