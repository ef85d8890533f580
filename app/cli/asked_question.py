"""A question of `docent ask` or `docent search`, and what comes of it, in this process or in the server that runs.

Both values are what was typed, in what JSON has, and are read back by `question_of`.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID, uuid4

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
class AskedFilter:
    """Sources by name or id; `since` and `until` are ISO days."""

    sources: Sequence[str] = ()
    paths: Sequence[str] = ()
    languages: Sequence[str] = ()
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    kind: Literal["ask", "search"]
    text: str
    agent: str | None = None
    page: str = ""
    version: Version = "live"
    only: AskedFilter = AskedFilter()


def question_of(written: Mapping[str, Any]) -> AskedQuestion:
    """What `dataclasses.asdict` has made of one. Raises KeyError and TypeError."""
    return AskedQuestion(**{**written, "only": AskedFilter(**written["only"])})


async def replies(base: "Stored", answering: "Answering", question: AskedQuestion) -> AsyncIterator[dict[str, Any]]:
    """The answer's events, or the one report of a search. Raises DocentError."""
    if question.kind == "search":
        yield await found(base, answering.search, question)
        return
    async for event in answer_events(base, answering, question):
        yield event


async def answer_events(
    base: "Stored", answering: "Answering", question: AskedQuestion
) -> AsyncIterator[dict[str, Any]]:
    """The data objects of the turn's events."""
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
    """Why the stored turn is unsure, "" if search alone does not explain it."""
    from app.conversations.records.stored_turns import StoredTurnRecords
    from app.search.doubt import why_unsure

    turn = await base.record.of_agent(agent.id).read(lambda tx: StoredTurnRecords(tx).find(turn_id))
    ranked = turn.trace.get("ranked", ()) if turn else ()
    needs_two = agent.config.retrieval.needs_two_survivors
    return why_unsure([one["calibrated"] for one in ranked], agent.config.confidence_threshold, needs_two=needs_two)


async def found(base: "Stored", search: "AgentSearch", question: AskedQuestion) -> dict[str, Any]:
    """What a search finds, with its trace."""
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
    """What an answer is to be read with while the agent has read nothing, or not all; "" otherwise."""

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


async def _filter(base: "Stored", actor: "Actor", asked: AskedFilter) -> "SearchFilter":
    from app.agents.agent_rules import check_filter
    from app.cli.local_operator import meant_source
    from app.core.search_filter import AttributeFilter, SearchFilter

    only = SearchFilter(
        tuple([(await meant_source(base, actor, named)).id for named in asked.sources]),
        tuple(asked.paths),
        tuple(asked.languages),
        date.fromisoformat(asked.since) if asked.since else None,
        date.fromisoformat(asked.until) if asked.until else None,
        tuple(AttributeFilter(name, tuple(values)) for name, values in asked.attributes.items()),
    )
    check_filter("filter", only)
    return only
