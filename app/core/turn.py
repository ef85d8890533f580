"""A turn is one question and its answer; a gap is a question that the pages do not answer."""

import hashlib
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from urllib.parse import quote
from uuid import UUID

from app.core.confirmation import Confirmation, ProposedChange
from app.core.search_filter import SearchFilter
from app.core.text.words import normalised

_EXACT_CHARS: Final = 100  # a longer quote is identified by its first and last words
_TELLING_CHARS: Final = 12  # a shorter line ("Yes", a number) may be anywhere on the page
_WORDS: Final = 5  # at either end


class GapReason(StrEnum):
    """Why the question counts as a gap."""

    LOW_CONFIDENCE = "low_confidence"
    FAILURE_WORDS = "failure_words"  # the answer itself says that it does not know
    UNCONFIRMED = "unconfirmed"  # the sources do not confirm what the chat model wrote
    THUMBS_DOWN = "thumbs_down"
    REPHRASED = "rephrased"  # the visitor stopped the answer and asked the same in other words
    FLAGGED = "flagged"  # an operator who read the answer marked it


class GapState(StrEnum):
    OPEN = "open"
    PROPOSED = "proposed"  # its questions are answered now: an operator may close it
    ANSWERED = "answered"  # closed, and a replay of its questions has shown that they are answered
    RESOLVED = "resolved"  # closed by an operator
    IGNORED = "ignored"


def link_to_words(url: str, words: str | None) -> str:
    """The URL of a web page with a text directive, which makes browsers scroll to `words`
    (https://wicg.github.io/scroll-to-text-fragment/); any other URL unchanged.

    Newlines and tabs separate the lines and table cells of `words`. Browsers find no text that spans blocks, so the
    directive's first words are all from one line, and so are its last words.
    """
    lines = [" ".join(line.split()) for line in (words or "").replace("\t", "\n").split("\n")]
    lines = [line for line in lines if line]
    if not lines or not url.startswith(("http://", "https://")):
        return url
    telling = [line for line in lines if len(line) >= _TELLING_CHARS] or [max(lines, key=len)]
    base = url if "#" in url else f"{url}#"
    return f"{base}:~:text={_directive(telling[0], telling[-1], len(telling))}"


def _directive(first: str, last: str, lines: int) -> str:
    if lines == 1 and len(first) <= _EXACT_CHARS:
        return _encoded(first)
    start, end = first.split(), last.split()
    if lines == 1 and len(start) <= 2 * _WORDS:  # a script without blanks, or very long words
        return _encoded(first)
    return f"{_encoded(' '.join(start[:_WORDS]))},{_encoded(' '.join(end[-_WORDS:]))}"


def _encoded(text: str) -> str:
    """Percent-encodes everything but letters and digits, because "-", "," and "&" separate the parts of a directive."""
    return quote(text, safe="").replace("-", "%2D")


class TurnState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # ended with an error; its partial text is stored
    CUT = "cut"  # its process died


class AnsweredBy(StrEnum):
    CURATED = "curated"
    MODEL = "model"
    EXTRACTIVE = "extractive"
    FALLBACK = "fallback"  # an honest "I could not find that"
    HANDOFF = "handoff"  # a person was called
    SMALL_TALK = "small_talk"  # a reply to something that is no question
    CLARIFICATION = "clarification"  # a question asked back


NO_ANSWER: Final = (AnsweredBy.HANDOFF, AnsweredBy.SMALL_TALK, AnsweredBy.CLARIFICATION)
"""Replies that are neither an answer nor a failure to give one."""


class Finish(StrEnum):
    COMPLETE = "complete"
    LENGTH = "length"
    STOPPED = "stopped"
    CONTENT_FILTER = "content_filter"


class Channel(StrEnum):
    """Where a question came from."""

    WIDGET = "widget"
    CLI = "cli"
    API = "api"  # a program that speaks OpenAI's API
    MCP = "mcp"  # an assistant that speaks the Model Context Protocol
    EMAIL = "email"
    SLACK = "slack"
    DISCORD = "discord"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A past question and its answer in the history that the model reads. `is_with_person` marks messages between the
    visitor and a person of the team; either side may then be ""."""

    question: str
    answer: str
    is_with_person: bool = False


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A visitor's question, as admitted. `page_context` is what the visitor's page reports about itself, at most 8 KB
    of text, untrusted like everything from a browser. `earlier` is the history that a program sent, oldest first and
    equally untrusted; None means the conversation's own."""

    turn_id: UUID
    message: str
    page_url: str
    page_context: str = ""
    only: SearchFilter = field(default_factory=SearchFilter)  # applies in addition to the agent's own filter
    earlier: tuple[Exchange, ...] | None = None

    @property
    def fingerprint(self) -> str:
        """Distinguishes a retry of the same turn from another question under its id."""
        narrowed = () if self.only.is_open else (repr(self.only),)
        body = "\x00".join((self.message, self.page_url, self.page_context, *narrowed))
        return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class VisitorSession:
    """The visitor who asks, read only from the visitor token. `locale` is the language of their page or browser when
    the widget opened (BCP 47 primary subtag), or "". `only` is the filter that the website's server has set for every
    answer. `proof` identifies their browser's proof of work, or is "". `is_proven` is False if a program names the
    visitor without the website's signature; nothing that the website signed for them is then used. `network` is a key
    of their network for limits, which is never stored or logged; "" for operators."""

    workspace_id: UUID
    agent_id: UUID
    visitor_id: UUID
    conversation_id: UUID
    channel: Channel = Channel.WIDGET
    locale: str = ""
    only: SearchFilter = field(default_factory=SearchFilter)
    proof: str = ""
    is_proven: bool = True
    network: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered source of an answer. `id` counts from 1, like the answer's [n]."""

    id: int
    url: str
    title: str
    as_of: date | None
    chunk_id: Annotated[str | None, "Null for the page that the visitor was viewing."] = None
    quote: Annotated[
        str | None,
        "The words of the page that support the answer, with newlines between blocks and tabs between cells; "
        "null if none were found.",
    ] = None
    passage: Annotated[
        str | None,
        "Other text of the same source that may answer the question and is not quoted, in the same format; null "
        "if there is none. Answers of a chat model do not have it.",
    ] = None

    @property
    def page(self) -> str:
        """The URL without the section."""
        return self.url.partition("#")[0]

    @property
    def link(self) -> Annotated[str, "The URL that opens the page at these words, with a text fragment."]:
        return link_to_words(self.url, self.quote or self.passage)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """The tokens that a chat model charged for. `cost` is in the operator's currency, by the prices at that time."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    cached_tokens: Annotated[int, "Prompt tokens that the provider had cached."] = 0
    cost: Annotated[float | None, "By DOCENT_MODEL_PRICE_PROMPT and the other prices; null if no prices are set."] = (
        None
    )

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """Everything that one transaction stores when a turn ends. `trace` has stages, scores and timings, JSON-ready.
    `next_questions` are the questions, or the choices of a question asked back, that the widget offers. `proposed` is
    the change that the visitor is asked to confirm.
    """

    state: TurnState
    answer: str
    answered_by: AnsweredBy
    confidence: float
    low_confidence: bool
    finish: Finish
    citations: tuple[Citation, ...] = ()
    usage: TokenUsage = field(default_factory=TokenUsage)
    language: str | None = None
    gap: GapReason | None = None
    curated_answer_id: UUID | None = None
    error_code: str | None = None
    first_token_ms: int | None = None
    duration_ms: int = 0
    trace: dict[str, Any] = field(default_factory=dict)
    next_questions: tuple[str, ...] = ()
    proposed: ProposedChange | None = None


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn in the system of record. `message_id` is the answer's message, once the turn has ended."""

    id: UUID
    conversation_id: UUID
    visitor_id: UUID
    agent_id: UUID
    question: str
    fingerprint: str
    state: TurnState
    answer: str
    answered_by: AnsweredBy | None
    confidence: float | None
    low_confidence: bool
    finish: Finish | None
    error_code: str | None
    message_id: UUID | None
    page_url: str
    created_at: datetime
    ended_at: datetime | None
    citations: tuple[Citation, ...] = ()
    trace: Annotated[dict[str, Any], "Stages, scores, times, and the prompts and responses of chat models."] = field(
        default_factory=dict
    )
    language: str | None = None
    rating: Annotated[str | None, "The visitor's thumb: up, down, or null."] = None
    comment: Annotated[str, "The visitor's comment on the rating."] = ""
    next_questions: tuple[str, ...] = ()
    confirmation: Confirmation | None = None
    summary: Annotated[
        str | None,
        "What the visitor wanted up to this question, summed up by a chat model for the person who took over; null if "
        "that was not needed, empty if the model had no answer.",
    ] = None

    @property
    def usage(self) -> TokenUsage | None:
        """The sum over all its calls of chat models; None if there were none, or the turn has not ended."""
        return TokenUsage(**self.trace["usage"]) if "usage" in self.trace else None


def question_key(question: str) -> str:
    """Equal for wordings that differ only in case, punctuation or blanks."""
    return normalised(question)
