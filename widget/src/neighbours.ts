import type { DocentWidget } from "./docent.js";

function isApart(one: DOMRect, other: DOMRect): boolean {
  return one.right <= other.left || other.right <= one.left;
}

/** The panels of two agents stand beside each other; where the window has no room for both, the one that was open closes. */
export function makeRoom(panel: HTMLElement, agents: Record<string, DocentWidget>): void {
  panel.removeAttribute("data-beside");
  for (const other of Object.values(agents)) {
    // Not one that is a part of the page.
    const theirs = other.isOpen && other.element.shadowRoot?.querySelector(".panel[role=dialog]");
    if (!theirs || theirs === panel) continue;
    const isClear = (): boolean => {
      const box = panel.getBoundingClientRect();
      return isApart(box, theirs.getBoundingClientRect()) && box.left >= 0 && box.right <= innerWidth;
    };
    if (isClear()) continue;
    panel.toggleAttribute("data-beside", true);
    if (isClear()) continue;
    panel.removeAttribute("data-beside");
    other.close();
  }
}
