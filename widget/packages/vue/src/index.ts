import { Chat, EMPTY_CHAT, mountWidget, type ChatActions, type ChatOptions, type ChatState, type MountedWidget, type SignedUser, type WidgetEvents, type WidgetOptions } from "@docent/client";
import { defineComponent, h, onMounted, onScopeDispose, onUnmounted, shallowRef, watch, type PropType, type ShallowRef } from "vue";

export type { ChatOptions, ChatState, Citation, SignedUser, Turn, WidgetEvents, WidgetOptions } from "@docent/client";

const NAMES = ["open", "close", "message", "answer", "citation_click", "feedback", "gap", "ready", "unread", "handover", "invitation", "error"] as const satisfies readonly (keyof WidgetEvents)[];

const LOOKS = {
  base: { type: String, required: true },
  agent: { type: String, required: true },
  color: String,
  position: String as PropType<WidgetOptions["position"]>,
  label: String,
  icon: String as PropType<WidgetOptions["icon"]>,
  picture: String,
  theme: String as PropType<WidgetOptions["theme"]>,
  locale: String,
  open: { type: Boolean, default: undefined },
  wide: { type: Boolean, default: undefined },
  launcher: String as PropType<WidgetOptions["launcher"]>,
  links: String as PropType<WidgetOptions["links"]>,
  pageContext: { type: Boolean, default: undefined },
  nonce: String,
} as const;
const USER = { user: Object as PropType<SignedUser> } as const;

type Emit = (name: keyof WidgetEvents, detail: never) => void;

/** Has the widget on the page for as long as the component is, anew where something of `looks` changes. */
function useWidget(looks: () => Omit<WidgetOptions, "user" | "into">, user: () => SignedUser | undefined, emit: Emit, into?: ShallowRef<HTMLElement | undefined>): void {
  let mounted: MountedWidget | undefined;
  const mount = (): void => {
    mounted?.unmount();
    mounted = mountWidget({ ...looks(), user: user(), into: into?.value });
    for (const name of NAMES) mounted.on(name, (detail) => emit(name, detail as never));
  };
  onMounted(mount);
  onUnmounted(() => {
    mounted?.unmount();
    mounted = undefined;
  });
  watch(
    () => Object.values(looks()),
    () => mounted && mount(),
  );
  watch(
    () => [user()?.userId, user()?.hash],
    () => mounted?.identify(user()),
  );
}

/** The chat widget on the page for as long as the component is. Draws nothing itself, and nothing on a server. */
export const DocentWidget = defineComponent({
  name: "DocentWidget",
  props: { ...LOOKS, ...USER, invitations: { type: Boolean, default: undefined } },
  emits: [...NAMES],
  setup(props, { emit }) {
    useWidget(() => without(props), () => props.user, emit);
    return () => null;
  },
});

/** The conversation in an element of the page, which says how wide and how high it is. */
export const DocentPanel = defineComponent({
  name: "DocentPanel",
  props: { ...LOOKS, ...USER, mode: String as PropType<WidgetOptions["mode"]> },
  emits: [...NAMES],
  setup(props, { emit }) {
    const into = shallowRef<HTMLElement>();
    useWidget(() => without(props), () => props.user, emit, into);
    return () => h("div", { ref: into });
  },
});

function without<Props extends { user?: unknown }>({ user: _, ...looks }: Props): Omit<Props, "user"> {
  return looks;
}

/** A conversation for an interface of your own: `state` changes as it goes on. */
export interface DocentChat extends ChatActions {
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
  const { ask, stop, retry, rate, older, startAfresh } = chat;
  return { state, ask, stop, retry, rate, older, startAfresh };
}
