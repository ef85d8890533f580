import type { Theme } from "./contract.js";
import type { Unsent } from "./person_line.js";

/** The little that outlives a page, per agent. */
export interface Kept {
  anonymous_id?: string | undefined;
  theme?: Theme | null | undefined;
  /** What the visitor has written to a person and the server has not confirmed. */
  unsent?: readonly Unsent[] | undefined;
  /** Whether the panel was open, in the tab where the visitor last opened or closed it. */
  open?: boolean | undefined;
  /** Whether the visitor wants the panel wide. */
  wide?: boolean | undefined;
}

/** Where the visitor is in one tab of the browser, for as long as that tab is there. */
export interface Stay {
  open?: boolean | undefined;
  conversation?: string | null | undefined;
  /** The turn at the top of the panel, and how many pixels of it are above; without it, the end is in view. */
  place?: readonly [turnId: string, px: number] | undefined;
  /** What stands in the field. */
  draft?: string | undefined;
  /** An answer came while the panel was closed, or is being written. */
  awaits?: boolean | undefined;
  /** What was searched, the latest first. */
  searches?: readonly string[] | undefined;
  /** Whose this is, of those whom the website has named. */
  user?: string | undefined;
}

/** Which invitations this browser has shown; in a tab, whether one was sent away. */
export interface Invited {
  shown?: readonly string[] | undefined;
  dismissed?: boolean | undefined;
}

/** A browser that refuses storage gets memory instead. */
export interface Store<T> {
  read(): T;
  /** Over what is there; undefined takes away. Without an argument, forgets all. */
  keep(more?: T): void;
}

/** Whether the browser lets us keep anything; nothing is written to find out. */
export function canKeep(): boolean {
  try {
    return !!window.localStorage;
  } catch {
    return false;
  }
}

export function browserStore<T extends Kept | Stay | Invited>(agentId: string, area: "localStorage" | "sessionStorage"): Store<T> {
  const key = "docent:" + agentId;
  let memory = {} as T;
  const read = (): T => {
    try {
      memory = (JSON.parse(window[area][key] ?? "null") as T | null) ?? memory;
    } catch {
      // Storage is off, or someone else wrote there: what is in memory stands.
    }
    return memory;
  };
  return {
    read,
    keep(more) {
      memory = more ? { ...read(), ...more } : ({} as T);
      try {
        if (more) window[area][key] = JSON.stringify(memory);
        else window[area].removeItem(key);
      } catch {
        // As above.
      }
    },
  };
}
