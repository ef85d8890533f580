"""A question of `docent ask` or `docent search`, its replies, and a report of the answer built from the turn's events.

`CommandQuestion` and `CommandFilter` hold JSON-ready values, so that a command can send them to a running server, which
reads them with `question_of`.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID, uuid4

from rich.console import Console

from app.agents.agent import Version
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.records import SourceRecords
from app.sources.source import CrawlRun
from app.store.transaction import Transaction

if TYPE_CHECKING:
    from app.agents.agent import LiveAgent
    from app.bootstrap.answering import Answering
    from app.bootstrap.infrastructure import Stored
    from app.core.actor import Actor
    from app.core.search_filter import SearchFilter
    from app.search.agent_search import AgentSearch


@dataclass(frozen=True, slots=True)
class CommandFilter:
    """`sources` are names or ids; `since` and `until` are ISO dates."""

    sources: Sequence[str] = ()
    paths: Sequence[str] = ()
    languages: Sequence[str] = ()
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class CommandQuestion:
    kind: Literal["ask", "search"]
    text: str
    agent: str | None = None
    page: str = ""
    version: Version = "live"
    only: CommandFilter = CommandFilter()


def question_of(written: Mapping[str, Any]) -> CommandQuestion:
    """The inverse of `dataclasses.asdict`. Raises KeyError or TypeError for other mappings."""
    return CommandQuestion(**{**written, "only": CommandFilter(**written["only"])})


async def replies(base: "Stored", answering: "Answering", question: CommandQuestion) -> AsyncIterator[dict[str, Any]]:
    """The answer's events, or the single report of a search. Raises DocentError."""
    if question.kind == "search":
        yield await found(base, answering.search, question)
        return
    async for event in answer_events(base, answering, question):
        yield event


async def answer_events(
    base: "Stored", answering: "Answering", question: CommandQuestion
) -> AsyncIterator[dict[str, Any]]:
    """The turn's events as JSON-ready objects, with events "note" about pages still unread and low confidence."""
    from app.cli.local_operator import live_agent, local_operator, meant_agent
    from app.conversations.conversations import Conversations
    from app.core.turn import Channel, TurnRequest
    from app.core.turn_events import event_payload

    actor = await local_operator(base)
    only = await _filter(base, actor, question.only)
    agent = await live_agent(base, await meant_agent(base, actor, question.agent))
    note = await _reading_note(base, agent)
    if note:
        yield {"event": "note", "text": note}
    opened = await Conversations(base.record, answering.history).open(agent, None, Channel.CLI)
    request = TurnRequest(uuid4(), question.text, question.page, only=only)
    live = await answering.turns.ask(opened.session, request)
    async for numbered in live.events():
        payload = event_payload(numbered.event)
        if (
            payload["event"] == "done"
            and payload["low_confidence"]
            and (why := await _doubt(base, agent, request.turn_id))
        ):
            yield {"event": "note", "text": why}
        yield payload


async def _doubt(base: "Stored", agent: "LiveAgent", turn_id: UUID) -> str:
    """Why the answer has low confidence; "" if the scores of its search do not explain it."""
    from app.conversations.records.stored_turns import StoredTurnRecords
    from app.search.confidence import why_unsure

    turn = await base.record.of_agent(agent.id).read(lambda tx: StoredTurnRecords(tx).find(turn_id))
    ranked = turn.trace.get("ranked", ()) if turn else ()
    return why_unsure([one["calibrated"] for one in ranked], agent.config.confidence_threshold)


async def found(base: "Stored", search: "AgentSearch", question: CommandQuestion) -> dict[str, Any]:
    """The report of a search, including its trace, as a JSON-ready object."""
    from app.cli.local_operator import live_agent, local_operator, meant_agent
    from app.search.retrieval import SearchQuery

    actor = await local_operator(base)
    only = await _filter(base, actor, question.only)
    agent = await meant_agent(base, actor, question.agent)
    if question.version == "live":
        await live_agent(base, agent)
    query = SearchQuery(question.text, question.page, filters=(only,))
    return (await search.search(actor.workspace_id, agent.id, query, question.version)).as_json()


async def _reading_note(base: "Stored", agent: "LiveAgent") -> str:
    """A note that the agent has no pages yet, or is still reading them; "" otherwise."""

    def work(tx: Transaction) -> tuple[list[CrawlRun], int]:
        documents, _ = LiveDocumentRecords(tx).counts(agent.id)
        runs = [source.run for source in SourceRecords(tx).sources(agent.id) if source.run]
        return runs, documents

    runs, documents = await base.record.of_workspace(agent.workspace_id).read(work)
    for run in runs:
        if run.state.value in {"queued", "running"}:
            pages = sum(run.counts.values())
            return (
                f"The website is still being read: {pages - run.counts.get('queued', 0)} of {pages} known pages so far."
            )
    if documents:
        return ""
    return f"{agent.config.name} has no pages yet. Read a website: docent crawl URL --agent {agent.id}"


async def _filter(base: "Stored", actor: "Actor", wanted: CommandFilter) -> "SearchFilter":
    from app.agents.agent_rules import check_filter
    from app.cli.local_operator import meant_source
    from app.core.search_filter import AttributeFilter, SearchFilter

    only = SearchFilter(
        tuple([(await meant_source(base, actor, named)).id for named in wanted.sources]),
        tuple(wanted.paths),
        tuple(wanted.languages),
        date.fromisoformat(wanted.since) if wanted.since else None,
        date.fromisoformat(wanted.until) if wanted.until else None,
        tuple(AttributeFilter(name, tuple(values)) for name, values in wanted.attributes.items()),
    )
    check_filter("filter", only)
    return only


@dataclass(slots=True)
class AnswerReport:
    question: str
    answer: str = ""
    answered_by: str | None = None
    confidence: float | None = None
    low_confidence: bool | None = None
    citations: list[dict[str, Any]] = field(default_factory=list)
    first_token_ms: int | None = None
    error: str = ""
    note: str = ""

    def take(self, payload: dict[str, Any], seconds: float) -> str:
        """Record an event that arrived `seconds` after the question; return the text that it adds to the answer."""
        name = payload["event"]
        if name == "token":
            if self.first_token_ms is None:
                self.first_token_ms = round(seconds * 1000)
            self.answer += payload["token"]
            return str(payload["token"])
        if name == "citations":
            self.citations = payload["citations"]
        elif name == "done":
            self.answered_by = payload["answered_by"]
            self.confidence, self.low_confidence = payload["confidence"], payload["low_confidence"]
        elif name == "note":
            self.note = f"{self.note} {payload['text']}".strip()
        elif name == "error":
            self.error = payload["message"]
        return ""

    def as_json(self) -> dict[str, Any]:
        report = {
            "question": self.question,
            "answer": self.answer.strip(),
            "answered_by": self.answered_by,
            "confidence": self.confidence,
            "low_confidence": self.low_confidence,
            "citations": self.citations,
            "first_token_ms": self.first_token_ms,
        }
        report |= {"note": self.note} if self.note else {}
        return report | ({"error": self.error} if self.error else {})

    def print_end(self, console: Console) -> None:
        """Print what follows the answer's text: note, sources and confidence, or the error."""
        console.print()
        if self.note:
            console.print(f"  {self.note}", style="yellow", markup=False, highlight=False, soft_wrap=True)
        for citation in self.citations:
            line = f"  [{citation['id']}] {citation['title']}  {citation['url']}"
            console.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)
        if self.error:
            console.print(f"  {self.error}", style="red", markup=False)
            return
        sure = f"{'not sure, ' if self.low_confidence else ''}confidence {self.confidence:.0%}"
        console.print(f"  {self.answered_by}, {sure}, first word after {self.first_token_ms} ms", style="dim")
