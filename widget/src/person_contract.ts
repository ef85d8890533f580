/** What the visitor API says of a chat with a person. */

export interface PersonMessage {
  /** From 1 in each conversation, without a gap. */
  number: number;
  author: "visitor" | "operator";
  name: string | null;
  text: string;
  /** Its size in pixels, where the message is one. */
  picture?: { width: number; height: number } | null;
  created_at: string;
}

export interface PersonAnswer {
  state: "none" | "waiting" | "talking" | "ended";
  operator_name: string | null;
  /** Nobody has come for so long that another way to people should be offered. */
  is_overdue: boolean;
  /** The person is writing. */
  is_typing: boolean;
  messages: PersonMessage[];
  /** When to ask again; 0 when there is nothing to come. */
  poll_seconds: number;
}
