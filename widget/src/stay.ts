import type { PanelView } from "./panel_view.js";
import type { Shell } from "./shell.js";
import { isRunning, type State } from "./state.js";
import type { Stay } from "./store.js";

/** Where the visitor is now, for the page that comes next and for other tabs. */
export function stayOf({ tab, user, frame }: Shell, { isOpen, turns }: State, view: PanelView, conversation = tab.read().conversation): Stay {
  return {
    open: isOpen,
    conversation,
    place: isOpen ? view.place : undefined,
    draft: frame.input.value || undefined,
    awaits: isRunning(turns.at(-1)) || view.isMarked || undefined,
    user: user()?.userId,
  };
}
