/** What the visitor API says and takes; the server's own page on it is /openapi.json. */

export interface Citation {
  id: number | string;
  url: string;
  title: string;
  as_of?: string | null;
  /** The words of the page that the answer rests on, with newlines between blocks and tabs between cells. */
  quote?: string | null;
  /** What else stands there that may answer, and is not quoted, in the same form. */
  passage?: string | null;
  /** The URL that opens the page at these words. */
  link?: string | null;
}

export interface Theme {
  primary_color?: string | null;
  radius?: number | null;
  position?: string | null;
  launcher_label?: string | null;
  launcher_icon?: string | null;
  /** Whether the panel is wide until the visitor says otherwise. */
  opens_wide?: boolean | null;
  greeting?: string | null;
  /** The agent's picture is at `/widget/pictures/AGENT_ID/PICTURE.webp`. */
  picture?: string | null;
  /** What is to be seen in it, where that says more than the agent's name. */
  picture_alt?: string | null;
}

/** What to offer where the site had no clear answer. `url` is https:, mailto: or tel:. */
export interface Fallback {
  url?: string | null;
  label?: string | null;
  /** Whether a message may be left, and what its writer agrees to. */
  form?: boolean | null;
  consent?: string | null;
}

/** A message for people to answer; its writer has agreed that it is kept. */
export interface Lead {
  name: string;
  email: string;
  message: string;
}

export interface Agent {
  id: string;
  name: string;
  persona?: string | null;
  theme?: Theme | null;
  /** That an AI system answers, which visitors have to be told before they ask; `text` is the operator's words for it. */
  disclosure?: { is_ai_system: true; text?: string | null } | null;
  fallback?: Fallback | null;
  /** Whether a visitor may ask for a person. */
  live_chat?: boolean | null;
  /** Pictures may be sent while a person talks. */
  live_pictures?: boolean | null;
  /** When that changes by the opening hours: from when they may again, or until when they may. */
  people_from?: string | null;
  people_until?: string | null;
  starter_prompts?: string[] | null;
  /** Whether questions are refused for now, as `agent_paused`. */
  is_paused?: boolean | null;
  language?: string | null;
}

/** A change that an answer proposes: it is made once the visitor has confirmed it, and only then. All texts are texts, never HTML. */
export interface Confirmation {
  id: string;
  turn_id: string;
  title: string;
  /** What the visitor is asked, by the operator's template. */
  summary: string;
  /** What is sent, to be shown beside it. */
  values: { name: string; label: string; value: string }[];
  /** `confirmed`: the call is under way; `void`: it no longer applies; `unknown`: nobody knows whether it was done. */
  state: "asked" | "confirmed" | "declined" | "expired" | "void" | "done" | "failed" | "unknown";
  /** What came of it, by the operator's template; "": tell the state in your words. */
  text: string;
  expires_at: string;
}

export interface Message {
  id: string;
  role: "visitor" | "agent";
  text: string;
  created_at?: string;
  turn_id?: string | null;
  citations?: Citation[] | null;
  low_confidence?: boolean | null;
  answered_by?: string | null;
  /** "length" and "stopped" where the answer has no end of its own. */
  finish?: string | null;
  /** Why it broke off. */
  error_code?: string | null;
  next_questions?: string[] | null;
  rating?: Rating | null;
  confirmation?: Confirmation | null;
}

/** Who the visitor is on the website, with the signature that its server made: docs/how-to/signed-visitors.md, "Signed-in visitors". */
export interface SignedUser {
  userId: string;
  hash: string;
}

/** What a website tells of its visitor: docs/how-to/signed-visitors.md, "What the website knows of a visitor". */
export interface VisitorAttributes {
  attributes?: Record<string, string> | undefined;
  /** A JSON object of texts as a text, and the signature that the website's server made of it. */
  signed_attributes?: string | undefined;
  attributes_hash?: string | undefined;
}

/** A puzzle by ALTCHA's protocol, version 1: find the number up to `maxnumber` whose SHA-256 after `salt` is `challenge`. */
export interface Challenge {
  algorithm: string;
  challenge: string;
  maxnumber: number;
  salt: string;
  signature: string;
}

export interface Session {
  /** What a question that is refused as `proof_wanted` asks for; null where the agent never does. */
  challenge?: Challenge | null;
  conversation_id: string;
  visitor_id: string;
  /** Null for a signed user. */
  anonymous_id: string | null;
  token: string;
  expires_at: string;
  agent: Agent;
  messages: Message[];
  /** Whether there are some before them. */
  has_earlier: boolean;
}

/** One of the visitor's conversations, of a list. */
export interface PastConversation {
  id: string;
  first_question: string;
  last_active_at: string;
}

export interface Question {
  turn_id: string;
  message: string;
  page_url: string;
  page_context?: string;
}

export type Stage = "searching" | "reading" | "thinking" | "writing";
export type Rating = "up" | "down";

/** One event of an answer stream: its `data` object, which repeats the event's name. */
export type AnswerEvent =
  | { event: "start"; turn_id: string; conversation_id: string }
  | { event: "status"; stage: Stage }
  | { event: "token"; token: string }
  | { event: "citations"; citations: Citation[] }
  | { event: "confirm"; confirmation: Confirmation }
  | {
      event: "done";
      turn_id: string;
      message_id: string;
      answered_by: string;
      low_confidence: boolean;
      confidence: number;
      finish: string;
      /** To offer below the answer, at most three; the pages answer them. */
      next_questions?: string[];
    }
  | { event: "error"; code: string; message: string; retryable: boolean };
