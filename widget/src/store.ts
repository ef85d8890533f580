import type { Theme } from "./contract.js";
import type { Unsent } from "./person_line.js";

/** The little that outlives a page, per agent; a browser that refuses storage gets memory instead. */
export interface Kept {
  anonymous_id?: string;
  theme?: Theme | null | undefined;
  /** What the visitor has written to a person and the server has not confirmed. */
  unsent?: readonly Unsent[] | undefined;
}

export interface Store {
  read(): Kept;
  /** Without an argument, forgets. */
  write(kept?: Kept): void;
}

export function browserStore(agentId: string): Store {
  const key = "docent:" + agentId;
  let memory: Kept = {};
  return {
    read() {
      try {
        memory = (JSON.parse(localStorage[key] ?? "null") as Kept | null) ?? memory;
      } catch {
        // Storage is off, or someone else wrote there: what is in memory stands.
      }
      return memory;
    },
    write(kept) {
      memory = kept ?? {};
      try {
        if (kept) localStorage[key] = JSON.stringify(kept);
        else localStorage.removeItem(key);
      } catch {
        // As above.
      }
    },
  };
}
