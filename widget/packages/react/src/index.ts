import { Chat, EMPTY_CHAT, mountWidget, type ChatActions, type ChatOptions, type ChatState, type MountedWidget, type WidgetEvents, type WidgetOptions } from "@docent/client";
import { createElement, useEffect, useMemo, useRef, useSyncExternalStore, type HTMLAttributes, type ReactElement, type RefObject } from "react";

export type { ChatActions, ChatOptions, ChatState, Citation, SignedUser, Turn, WidgetEvents, WidgetOptions } from "@docent/client";

type Handlers = { [Name in keyof WidgetEvents as `on${Capitalize<Name extends "citation_click" ? "citationClick" : Name>}`]?: (detail: WidgetEvents[Name]) => void };

/** The widget's options, and a function for each of its events. */
export type DocentWidgetProps = Omit<WidgetOptions, "into" | "mode"> & Handlers;

/** The same, with what the element has that the conversation fills. */
export type DocentPanelProps = Omit<DocentWidgetProps, "invitations"> & Pick<WidgetOptions, "mode"> & Pick<HTMLAttributes<HTMLDivElement>, "className" | "style" | "id">;

const NAMES: Record<keyof Handlers, keyof WidgetEvents> = {
  onOpen: "open",
  onClose: "close",
  onMessage: "message",
  onAnswer: "answer",
  onCitationClick: "citation_click",
  onFeedback: "feedback",
  onGap: "gap",
  onReady: "ready",
  onUnread: "unread",
  onHandover: "handover",
  onInvitation: "invitation",
  onError: "error",
};

/** The chat widget on the page for as long as the component is. Draws nothing itself, and nothing on a server. */
export function DocentWidget(props: DocentWidgetProps): null {
  useWidget(props);
  return null;
}

/** The conversation in an element of the page, which says how wide and how high it is. */
export function DocentPanel({ className, style, id, ...props }: DocentPanelProps): ReactElement {
  const into = useRef<HTMLDivElement>(null);
  useWidget(props, into);
  return createElement("div", { ref: into, className, style, id });
}

function useWidget(props: DocentWidgetProps & Pick<WidgetOptions, "mode">, into?: RefObject<HTMLDivElement | null>): void {
  const { base, agent, color, position, label, icon, picture, theme, locale, open, wide, launcher, links, pageContext, invitations, nonce, mode, user } = props;
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const mounted = useRef<MountedWidget>(undefined);
  const known = useRef(user);
  useEffect(() => {
    known.current = latest.current.user;
    const looks = { color, position, label, icon, picture, theme, locale, open, wide, launcher, links, pageContext, invitations, nonce, mode };
    const widget = mountWidget({ base, agent, ...looks, into: into?.current ?? undefined, user: known.current });
    mounted.current = widget;
    for (const [handler, name] of Object.entries(NAMES) as [keyof Handlers, keyof WidgetEvents][]) {
      widget.on(name, (detail) => (latest.current[handler] as ((detail: unknown) => void) | undefined)?.(detail));
    }
    return () => widget.unmount();
  }, [base, agent, color, position, label, icon, picture, theme, locale, open, wide, launcher, links, pageContext, invitations, nonce, mode, into]);
  const userId = user?.userId;
  const hash = user?.hash;
  useEffect(() => {
    if (known.current?.userId === userId && known.current?.hash === hash) return;
    known.current = latest.current.user;
    mounted.current?.identify(latest.current.user);
  }, [userId, hash]);
}

/** A conversation for an interface of your own. It is opened when the component is there, and goes on with what was said before;
 * another agent, address or person is another conversation. */
export function useDocentChat(options: ChatOptions): ChatState & ChatActions {
  const { base, agent, locale, user } = options;
  const userId = user?.userId;
  const hash = user?.hash;
  const latest = useRef(options);
  const chat = useMemo(
    () => new Chat({ ...latest.current, base, agent, ...(locale && { locale }), ...(userId && hash ? { user: { userId, hash } } : {}) }),
    [base, agent, locale, userId, hash],
  );
  useEffect(() => {
    // That it failed is in the state.
    chat.open().catch(() => undefined);
    return () => chat.close();
  }, [chat]);
  const state = useSyncExternalStore(
    chat.subscribe,
    () => chat.state,
    () => EMPTY_CHAT,
  );
  const { ask, stop, retry, rate, older, startAfresh } = chat;
  return { ...state, ask, stop, retry, rate, older, startAfresh };
}
