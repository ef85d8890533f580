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
    disclosure?: {
        is_ai_system: true;
        text?: string | null;
    } | null;
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
    values: {
        name: string;
        label: string;
        value: string;
    }[];
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
export type AnswerEvent = {
    event: "start";
    turn_id: string;
    conversation_id: string;
} | {
    event: "status";
    stage: Stage;
} | {
    event: "token";
    token: string;
} | {
    event: "citations";
    citations: Citation[];
} | {
    event: "confirm";
    confirmation: Confirmation;
} | {
    event: "done";
    turn_id: string;
    message_id: string;
    answered_by: string;
    low_confidence: boolean;
    confidence: number;
    finish: string;
    /** To offer below the answer, at most three; the pages answer them. */
    next_questions?: string[];
} | {
    event: "error";
    code: string;
    message: string;
    retryable: boolean;
};

/** What a page may change while the widget is there; what is left out stays, null is as if the tag had never said it. */
export interface DocentLooks {
    /** "#rrggbb". */
    color?: string | null;
    position?: "left" | "right" | null;
    label?: string | null;
    icon?: "chat" | "help" | "spark" | "picture" | null;
    /** The fingerprint of the agent's picture, for the launcher's icon "picture". */
    picture?: string | null;
    theme?: "light" | "dark" | "auto";
    /** "none": the website has a launcher of its own. */
    launcher?: "own" | "none";
    /** "same": links to pages of your own website open in the same tab, where the panel goes on. */
    links?: "new" | "same";
    /** The panel is wide, or not: now, until the visitor says otherwise. */
    wide?: boolean | null;
    pageContext?: boolean;
    /** What the website tells of the visitor, such as a plan: unproven. All of it; what it leaves out is known no longer. */
    attributes?: Record<string, string>;
    /** The same by the website's server: a JSON object of texts as a text, and its signature. */
    signedAttributes?: string;
    attributesHash?: string;
}
/** What the widget tells of, with what it says then. */
export interface DocentEvents {
    /** Calls are heard from now on; whoever listens later hears it at once. */
    ready: object;
    open: object;
    close: object;
    message: {
        turn_id: string;
        message: string;
    };
    answer: {
        turn_id: string;
        text: string;
        citations: readonly Citation[];
        low_confidence?: boolean | undefined;
    };
    citation_click: {
        turn_id: string;
        citation: Citation;
    };
    feedback: {
        turn_id: string;
        rating: Rating;
        comment?: string;
    };
    gap: {
        turn_id: string;
        message: string;
    };
    /** How much has come while the panel was closed; 0 once it is open. */
    unread: {
        count: number;
    };
    /** Of a chat with a person: somebody was asked for, is there, or has gone. */
    handover: {
        state: "none" | "waiting" | "talking" | "ended";
        operator: string | null;
    };
    /** What became of an invitation of that name beside the closed launcher. */
    invitation: {
        name: string;
        act: "shown" | "accepted" | "dismissed";
    };
    error: {
        turn_id?: string;
        code: string | undefined;
    };
}
/** A call by its name, as pages queue them before the script has loaded. */
export type DocentCall = ["open" | "close" | "toggle" | "reset" | "destroy"] | ["ask", question: string] | ["identify", user: SignedUser] | ["update", looks: DocentLooks] | {
    [Name in keyof DocentEvents]: ["on", name: Name, listener: (detail: DocentEvents[Name]) => void];
}[keyof DocentEvents];
/** One agent on one page: `window.Docent` is the first of them. */
export interface DocentWidget {
    /** Every widget of the page by its agent's id. */
    readonly agents: Record<string, DocentWidget>;
    /** What stands on the page; it is gone after `destroy`. */
    readonly element: HTMLElement;
    readonly isOpen: boolean;
    open(): void;
    close(): void;
    toggle(): void;
    /** Opens the panel and asks. */
    ask(question: string): void;
    /** Says who is signed in on the website. Resolves when the server has taken the signature, which is when the panel opens; rejects
     * with an Error, whose `code` says why, where it refuses, or where somebody else is named before. */
    identify(user: SignedUser): Promise<void>;
    update(looks: DocentLooks): void;
    /** Forgets the visitor on this device. */
    reset(): void;
    /** Takes the widget off the page. */
    destroy(): void;
    /** Returns the call that stops listening. */
    on<Name extends keyof DocentEvents>(name: Name, listener: (detail: DocentEvents[Name]) => void): () => void;
    push(call: DocentCall): void;
}
declare global {
    interface Window {
        /** The one global: the page's first widget, or before the script has loaded and after `destroy` a list of calls to make. */
        Docent?: DocentWidget | DocentCall[];
    }
}

/** Why a call went wrong: a code of the API, or one of ours: "network" (no answer came), "cut" (the answer stopped). */
export declare class Failure extends Error {
    readonly code: string;
    readonly status: number;
    readonly retryable: boolean;
    constructor(code: string, status?: number, retryable?: boolean, message?: string);
}

/** A random UUID (version 4). `crypto.randomUUID` is missing on pages served without TLS. */
export declare function uuid(): string;

/** The page's address as it may leave the browser: no fragment, no user name, no parameter that reads like a secret. */
export declare function pageAddress(href: string): string;

export declare function pageContext(document: Document): string;

/** The URL of a link that may be drawn: absolute http(s) without a user name that could pose as a host, a mail address or a telephone number. */
export declare function safeLink(href: string): URL | null;

export interface ClientOptions {
    /** Origin of the API, such as "https://chat.example.com". */
    base: string;
    agentId: string;
    locale?: string;
    pageUrl: () => string;
    /** The visitor's id of an earlier visit, and where to put the one that the server gave. */
    anonymousId?: () => string | undefined;
    keepAnonymousId?: (id: string) => void;
    /** The conversation to begin with, null for a new one; else, and where it is gone, the visitor's latest. */
    conversation?: () => string | null | undefined;
    /** What the website tells of the visitor, as `POST /v1/widget/init` takes it. */
    attributes?: () => VisitorAttributes;
    /** Who is signed in on the website; call `forget` when that changes. */
    user?: () => SignedUser | undefined;
    fetch?: typeof fetch;
    isOnline?: () => boolean;
    /** The server sends a heartbeat every 15 s; a stream silent for longer than this is taken for dead. */
    stallMs?: number;
    /** Milliseconds before a lost stream is tried again, by the number of tries before. */
    waitMs?: (tries: number) => number;
}
/** What `ask` reports beside the server's events: a lost connection, and an answer that starts over. */
export type ClientEvent = AnswerEvent | {
    event: "reconnecting";
} | {
    event: "restart";
};
/** Speaks the visitor API. Knows no page and draws nothing, so it serves any interface. */
export declare class Client {
    #private;
    /** Of the work that the session's `challenge` asks for; sent with each new session. */
    proof: string | undefined;
    constructor(options: ClientOptions);
    /** Starts or resumes the conversation. Calls made meanwhile share one request. */
    open(): Promise<Session>;
    /** Asks, and reports each event once and in order until `done` or `error`, across lost connections.
     *
     * The turn's id makes a repeated question harmless. Rejects with a Failure when the server refuses or stays away;
     * `join` only listens to a turn that the server already has. */
    ask(question: Question, on: (event: ClientEvent) => void, signal: AbortSignal, join?: boolean): Promise<void>;
    stop(turnId: string): Promise<void>;
    rate(turnId: string, rating: Rating, comment?: string): Promise<void>;
    /** Leaves the conversation for another of the visitor's, or without an id for a new one; the next call opens it. */
    goTo(conversation?: string | null): void;
    /** The id of the conversation that is open, null for one that is to be. */
    get conversation(): string | null | undefined;
    /** Drops the session, so that the next call starts a new one. */
    forget(): void;
    /** Lets go of open connections without ending their turns, as a page must before it sleeps; `wake` goes on. */
    pause(): void;
    /** Ends every wait at once: the network or the page is back. */
    wake(): void;
    /** Calls a route of the visitor API with the visitor's token, renewed when it is about to end or is refused.
     *
     * `path` is what follows "/v1/widget", `body` is sent as JSON. Rejects with a Failure. */
    call(method: string, path: string, body?: unknown, signal?: AbortSignal, lastId?: string): Promise<Response>;
    /** Ends after `ms`, at `wake`, or at the signal; while the page sleeps or is offline, only at the latter two. */
    wait(ms: number, signal: AbortSignal): Promise<void>;
}
