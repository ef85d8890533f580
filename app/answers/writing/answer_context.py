"""What a writer answers from, and which links of its sources an answer may have."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import Any, Final, Protocol
from urllib.parse import urlsplit
from uuid import UUID

from app.agents.agent import AgentConfig
from app.answers.guard.output_guard import is_on_host
from app.answers.offered_actions import AnswerActions
from app.answers.writing.agent_models import WritingModel
from app.answers.writing.answer_searches import AnswerSearches
from app.core.confirmation import ProposedChange
from app.core.page_url import host_of
from app.core.text.markdown.links import TextLink, as_markdown, linked
from app.core.turn import AnsweredBy, Exchange
from app.core.visitor_attribute import VisitorAttribute
from app.providers.chat.chat_model import ChatItem
from app.search.retrieval import is_near

_MOST_FOR_MODEL: Final = 12  # links of a source: each takes some ten tokens, and a list of links answers little


@dataclass(frozen=True, slots=True)
class Source:
    """One numbered source. Numbers count 1, 2, 3 ...

    The description of the visitor's page that their browser sent has no `chunk_id` and comes first. `context` is
    the line that locates a chunk, `heading` that of its section, `breadcrumb` the headings down to it, `day` the
    date that the page names, `calibrated` search's confidence in it, in [0, 1], `order` its place in search's
    order, from 1 (first) to 0, `language` the page's (BCP 47 primary subtag). A source that `is_unasked` is here
    because the visitor looks at it, not because search chose it, and one that `is_looked_up` because the model
    searched for it. What an action returned has the `action`'s name, and is no page. `links` are those within
    `text`, which does not contain their targets.
    """

    number: int
    url: str  # with the section's anchor, where there is one
    title: str
    text: str
    as_of: date | None = None
    chunk_id: str | None = None
    context: str = ""
    heading: str = ""
    calibrated: float = 0.0
    is_unasked: bool = False
    breadcrumb: tuple[str, ...] = ()
    day: date | None = None
    order: float = 0.0
    language: str | None = None
    action: str = ""
    is_looked_up: bool = False
    links: tuple[TextLink, ...] = ()

    @property
    def is_from_visitor(self) -> bool:
        """Whether a browser sent it, which may send anything."""
        return self.chunk_id is None and not self.action


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """The question and everything that an answer may use. `question` is the visitor's own wording, `standalone` the
    text that was searched for. If search read that word for word in another language, `read_as` is its text and
    `read_in` the language. For a follow-up, `bare` is the end of the text that is the visitor's own question. `canary`
    is a marker that must never be written; `history` is oldest first. `agent_id` is None if no index knows the agent.
    `about_visitor` is what the agent's settings let the model know about the visitor. `actions` and `searches` are
    those that a model may make; `failed_calls` explains in our words which of them returned nothing, and `to_confirm`
    names the change that the visitor is asked to confirm. `missing` names the models and indexes that were down or
    busy, so that the answer may not be the usual one. `readings` caches what the writer of quotations computed for this
    context."""

    agent: AgentConfig
    question: str
    standalone: str
    sources: tuple[Source, ...]
    history: tuple[Exchange, ...] = ()
    page_url: str = ""
    language: str | None = None
    canary: str = ""
    agent_id: UUID | None = None
    about_visitor: tuple[VisitorAttribute, ...] = ()
    actions: AnswerActions | None = None
    searches: AnswerSearches | None = None
    failed_calls: tuple[str, ...] = ()
    to_confirm: str = ""
    read_as: str = ""
    read_in: str | None = None
    bare: str = ""
    model: WritingModel | None = None  # that writes the answer, if one does
    missing: set[str] = field(default_factory=set, compare=False)
    readings: list[Any] = field(default_factory=list, init=False, compare=False, repr=False)

    @property
    def asked(self) -> str:
        """The whole question in the words that the models read."""
        return self.read_as or self.standalone

    @property
    def asked_in(self) -> str | None:
        """The language of `asked` (BCP 47 primary subtag), None if unknown."""
        return self.read_in or self.language

    def is_near(self, source: Source) -> bool:
        """Whether search is sure enough of it to name it where it does not answer."""
        return is_near(source.calibrated, self.agent.confidence_threshold)


def link_hosts(context: AnswerContext) -> frozenset[str]:
    """The hosts of the sources, and those that the agent's operator lists: "example.com" or "*.example.com"."""
    hosts = frozenset(host for source in context.sources if (host := host_of(source.url)))
    return hosts | {host.casefold().removeprefix("*") for host in context.agent.allowed_link_hosts}


def link_targets(context: AnswerContext, *, is_model: bool) -> frozenset[str]:
    """The targets that may be linked whatever their host: for a quotation, all links of its page; for a model, which a
    page's text may have captured, only mail addresses and telephone numbers."""
    targets = (link.target for source in context.sources for link in source.links)
    return frozenset(target for target in targets if not is_model or _is_address(target))


def text_for_model(source: Source, hosts: frozenset[str]) -> str:
    """The source's text with those links that a model may repeat, without the source's own origin."""
    parts = urlsplit(source.url)
    return (
        _with_links(source.text, source.links, f"{parts.scheme}://{parts.netloc}/", hosts)
        if source.links
        else source.text
    )


@lru_cache(maxsize=128)  # many answers use the same sections
def _with_links(text: str, links: Sequence[TextLink], origin: str, hosts: frozenset[str]) -> str:
    def write(label: str, target: str) -> str:
        return as_markdown(label, f"/{target.removeprefix(origin)}" if target.startswith(origin) else target)

    usable = (link for link in links if _is_address(link.target) or is_on_host(link.target, hosts))
    return linked(text, islice(usable, _MOST_FOR_MODEL), write)


def _is_address(target: str) -> bool:
    return target.lower().startswith(("mailto:", "tel:"))


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A further source, which the writer may cite from now on."""

    source: Source


@dataclass(frozen=True, slots=True)
class OfferedPassage:
    """A passage that may answer too but is not quoted: `text`, as Markdown, of the source with that `number`. With
    `is_named`, the answer quotes nothing from that source, and lists it behind those that it cites."""

    number: int
    text: str
    is_named: bool


@dataclass(frozen=True, slots=True)
class OfferedChoices:
    """The names that the visitor can choose from, if a question is asked back."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A writer proposes a change, which the visitor is asked to confirm below the answer."""

    change: ProposedChange


WritingItem = ChatItem | FoundSource | OfferedPassage | OfferedChoices | Proposal


class AnswerWriter(Protocol):
    """Writes an answer with [n] marks that name the context's sources."""

    @property
    def answered_by(self) -> AnsweredBy: ...

    def write(self, context: AnswerContext) -> AsyncGenerator[WritingItem, None]:
        """Yields text in order, each source before the text that cites it, then one ChatEnd. A caller that stops early
        must close it, which also ends the model's stream and counts its use.

        Raises ModelUnavailable before the first text, ModelInterrupted after it.
        """
        ...
