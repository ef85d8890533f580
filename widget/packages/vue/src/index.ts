import { Chat, EMPTY_CHAT, mountWidget, type ChatOptions, type ChatState, type MountedWidget, type SignedUser, type WidgetEvents, type WidgetOptions } from "@docent/client";
import { defineComponent, onMounted, onScopeDispose, onUnmounted, shallowRef, watch, type PropType, type ShallowRef } from "vue";

export type { ChatOptions, ChatState, Citation, SignedUser, Turn, WidgetEvents, WidgetOptions } from "@docent/client";

const NAMES = ["open", "close", "message", "answer", "citation_click", "feedback", "gap", "error"] as const satisfies readonly (keyof WidgetEvents)[];

/** The chat widget on the page for as long as the component is. Draws nothing itself, and nothing on a server. */
export const DocentWidget = defineComponent({
  name: "DocentWidget",
  props: {
    base: { type: String, required: true },
    agent: { type: String, required: true },
    color: String,
    position: String as PropType<WidgetOptions["position"]>,
    label: String,
    icon: String as PropType<WidgetOptions["icon"]>,
    theme: String as PropType<WidgetOptions["theme"]>,
    locale: String,
    open: { type: Boolean, default: undefined },
    pageContext: { type: Boolean, default: undefined },
    nonce: String,
    user: Object as PropType<SignedUser>,
  },
  emits: [...NAMES],
  setup(props, { emit }) {
    let mounted: MountedWidget | undefined;
    let isThere = false;
    const mount = (): void => {
      mounted?.unmount();
      mounted = mountWidget({ ...props });
      for (const name of NAMES) mounted.on(name, (detail) => emit(name, detail));
    };
    onMounted(() => {
      isThere = true;
      mount();
    });
    onUnmounted(() => {
      isThere = false;
      mounted?.unmount();
      mounted = undefined;
    });
    const { user: _user, ...looks } = props;
    watch(
      () => (Object.keys(looks) as (keyof typeof looks)[]).map((name) => props[name]),
      () => isThere && mount(),
    );
    watch(
      () => [props.user?.userId, props.user?.hash],
      () => mounted?.identify(props.user),
    );
    return () => null;
  },
});

/** A conversation for an interface of your own: `state` changes as it goes on. */
export interface DocentChat extends Pick<Chat, "ask" | "stop" | "retry" | "rate" | "older" | "startAfresh"> {
  state: Readonly<ShallowRef<ChatState>>;
}

/** Opens a conversation, which goes on with what was said before, for as long as the component is there. */
export function useDocentChat(options: ChatOptions): DocentChat {
  const chat = new Chat(options);
  const state = shallowRef<ChatState>(EMPTY_CHAT);
  const deaf = chat.subscribe(() => (state.value = chat.state));
  // In a browser alone; that it failed is in the state.
  onMounted(() => void chat.open().catch(() => undefined));
  onScopeDispose(() => {
    deaf();
    chat.close();
  });
  return {
    state,
    ask: (text) => chat.ask(text),
    stop: () => chat.stop(),
    retry: (id) => chat.retry(id),
    rate: (id, rating, comment) => chat.rate(id, rating, comment),
    older: () => chat.older(),
    startAfresh: () => chat.startAfresh(),
  };
}
