"""Agents: drafts, published versions and what visitors get."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.domain.agent import Agent, AgentConfig
from app.domain.curated_answer import CuratedAnswer, Trigger
from app.domain.errors import NotFound
from app.domain.file_format import FileFormat
from app.domain.gap import GapReason
from app.domain.golden_question import GoldenQuestion
from app.domain.golden_run import GoldenRun
from app.domain.lead import Lead
from app.domain.list_page import PageRequest
from app.domain.live_chat import Author
from app.domain.reading_schedule import Schedule
from app.domain.signed_user import UserKey
from app.domain.source import Source
from app.domain.turn import Finish, TokenUsage, VisitorSession
from app.domain.webhook import Webhook, WebhookEvent
from app.ports.site_reader import QueuedPage
from app.store.agents import AgentRecords
from app.store.contexts import ContextRecords
from app.store.crawl_pages import CrawlPageRecords
from app.store.crawl_runs import CrawlRunRecords
from app.store.curated_answers import CuratedAnswerRecords
from app.store.files import FileRecords
from app.store.given_documents import GivenDocumentRecords
from app.store.golden_questions import GoldenQuestionRecords
from app.store.golden_runs import GoldenRunRecords
from app.store.hooks import HookRecords
from app.store.leads import LeadRecords
from app.store.live_chats import LiveChatRecords
from app.store.models import Base
from app.store.schedules import ScheduleRecords
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction
from app.store.turns import TurnRecords
from app.store.user_keys import UserKeyRecords
from app.store.webhooks import WebhookRecords
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_page, add_live, an_id, ask, count_rows

# A receipt outlives what it is for.
_TENANT_TABLES = {
    *("workspaces", "api_tokens", "signing_keys", "audit_log", "processes", "embedding_cache", "deletions"),
    *("operators", "operator_sessions"),
}


async def test_a_new_agent_is_a_draft_that_no_visitor_gets(record: SystemOfRecord, agent: Agent) -> None:
    assert (agent.draft.name, agent.live_version, agent.generation) == ("Ada", None, 0)
    async with record.read() as tx:
        assert await AgentRecords(tx).exists(agent.id)
        with pytest.raises(NotFound):
            await AgentRecords(tx).live(agent.id)


async def test_an_agent_needs_a_workspace(record: SystemOfRecord) -> None:
    with pytest.raises(NotFound, match="workspace"):
        async with record.write() as tx:
            await AgentRecords(tx).create(an_id(), AgentConfig(name="Ada"))


async def test_publishing_freezes_the_draft(record: SystemOfRecord, workspace_id: UUID, agent: Agent) -> None:
    async with record.write() as tx:
        published = await AgentRecords(tx).publish(workspace_id, agent.id)
        await AgentRecords(tx).save_draft(workspace_id, agent.id, replace(agent.draft, name="Bea"))
    async with record.read() as tx:
        live = await AgentRecords(tx).live(agent.id)
    assert (published.number, live.version, live.config.name, live.workspace_id) == (1, 1, "Ada", workspace_id)


async def test_publishing_an_unchanged_draft_publishes_nothing(
    record: SystemOfRecord, workspace_id: UUID, agent: Agent, clock: FixedClock
) -> None:
    async with record.write() as tx:
        first = await AgentRecords(tx).publish(workspace_id, agent.id)
        clock.advance(60)
        assert await AgentRecords(tx).publish(workspace_id, agent.id) == first
        assert await AgentRecords(tx).versions(workspace_id, agent.id) == [first]


async def test_going_back_to_an_older_configuration_is_a_new_version(
    record: SystemOfRecord, workspace_id: UUID, agent: Agent
) -> None:
    async with record.write() as tx:
        await AgentRecords(tx).publish(workspace_id, agent.id)
        for name in ("Bea", "Ada"):
            await AgentRecords(tx).save_draft(workspace_id, agent.id, replace(agent.draft, name=name))
            await AgentRecords(tx).publish(workspace_id, agent.id)
        versions = await AgentRecords(tx).versions(workspace_id, agent.id)
    assert [(version.number, version.config.name) for version in versions] == [(3, "Ada"), (2, "Bea"), (1, "Ada")]


async def test_a_saved_draft_says_when(
    record: SystemOfRecord, workspace_id: UUID, agent: Agent, clock: FixedClock
) -> None:
    clock.advance(60)
    async with record.write() as tx:
        saved = await AgentRecords(tx).save_draft(workspace_id, agent.id, replace(agent.draft, tone="dry"))
    assert (saved.draft.tone, saved.created_at, saved.updated_at) == ("dry", agent.created_at, clock.now())


async def test_every_change_of_knowledge_raises_the_generation(record: SystemOfRecord, agent: Agent) -> None:
    async with record.write() as tx:
        assert [await AgentRecords(tx).bump_generation(agent.id) for _ in range(2)] == [1, 2]
        with pytest.raises(NotFound):
            await AgentRecords(tx).bump_generation(an_id())


async def test_agents_are_listed_oldest_first_page_by_page(
    record: SystemOfRecord, workspace_id: UUID, foreign_workspace_id: UUID
) -> None:
    async with record.write() as tx:
        for name in "abcde":
            await AgentRecords(tx).create(workspace_id, AgentConfig(name=name))
        await AgentRecords(tx).create(foreign_workspace_id, AgentConfig(name="foreign"))
    pages: list[str] = []
    cursor: str | None = None
    async with record.read() as tx:
        while True:
            page = await AgentRecords(tx).page(workspace_id, PageRequest(limit=2, cursor=cursor))
            pages.append("".join(agent.draft.name for agent in page.items))
            if (cursor := page.next_cursor) is None:
                break
    assert pages == ["ab", "cd", "e"]


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda tx, w, a: AgentRecords(tx).get(w, a), id="get"),
        pytest.param(lambda tx, w, a: AgentRecords(tx).save_draft(w, a, AgentConfig(name="mine")), id="save_draft"),
        pytest.param(lambda tx, w, a: AgentRecords(tx).publish(w, a), id="publish"),
        pytest.param(lambda tx, w, a: AgentRecords(tx).versions(w, a), id="versions"),
        pytest.param(lambda tx, w, a: AgentRecords(tx).delete(w, a), id="delete"),
    ],
)
async def test_a_foreign_agent_is_an_absent_one(
    record: SystemOfRecord,
    workspace_id: UUID,
    foreign_workspace_id: UUID,
    agent: Agent,
    act: Callable[[Transaction, UUID, UUID], Awaitable[object]],
) -> None:
    for workspace, asked in ((foreign_workspace_id, agent.id), (workspace_id, an_id())):
        with pytest.raises(NotFound):
            async with record.write() as tx:
                await act(tx, workspace, asked)
    async with record.read() as tx:
        assert await AgentRecords(tx).get(workspace_id, agent.id) == agent


async def test_deleting_an_agent_leaves_no_row_of_it(
    record: SystemOfRecord, engine: AsyncEngine, workspace_id: UUID, source: Source, session: VisitorSession
) -> None:
    agent_id = source.agent_id
    answer = CuratedAnswer(an_id(), agent_id, Trigger.EXACT, "hi", "Hello.")
    version = await add_live(record, source, a_page())
    async with record.write() as tx:
        await AgentRecords(tx).publish(workspace_id, agent_id)
        await CuratedAnswerRecords(tx).create(answer)
        await GoldenQuestionRecords(tx).put(GoldenQuestion(an_id(), agent_id, "Hi?"))
        asked = GoldenRun(an_id(), agent_id, "ann", FixedClock().now(), 1, "0" * 64, 1, None, 1, 0)
        await GoldenRunRecords(tx).add(asked, keep=1)
        run = await CrawlRunRecords(tx).start_run(agent_id, source.id)
        await CrawlPageRecords(tx).add_pages(run.id, [QueuedPage("https://docs.example/", 0)])
        await FileRecords(tx).put(source.id, "prices.txt", FileFormat.TEXT, b"12 euros")
        await GivenDocumentRecords(tx).put(source.id, a_page("https://docs.example/given"))
        await ScheduleRecords(tx).set(source.id, Schedule(every_hours=24), FixedClock().now())
        await UserKeyRecords(tx).set(UserKey(agent_id, "kid", b"salt", FixedClock().now()))
        await HookRecords(tx).set(source.id, "kid", b"salt")
        await HookRecords(tx).note_call(source.id, "signature", FixedClock().now())
        told = (WebhookEvent.TURN_FINISHED,)
        url = "https://hooks.example.com/"
        await ContextRecords(tx).keep(version.document_id, "some-model", {"0" * 64: "About the installer."})
        await WebhookRecords(tx).add(Webhook(an_id(), agent_id, url, told, "kid", b"salt", FixedClock().now()))
    turn_id = await ask(record, session, gap=GapReason.LOW_CONFIDENCE, curated_answer_id=answer.id)
    await ask(record, session, finish=Finish.STOPPED)
    async with record.write() as tx:
        await WebhookRecords(tx).hand_out(10)
        await LeadRecords(tx).add(
            Lead(an_id(), agent_id, session.visitor_id, session.conversation_id, "", "a@b", "Hi", FixedClock().now())
        )
        await TurnRecords(tx).feedback(session, turn_id, "down", "no")
        await TurnRecords(tx).charge(agent_id, "suggestion", TokenUsage(4, 3, "gpt"))
        await LiveChatRecords(tx).add(await LiveChatRecords(tx).ask(session), an_id(), Author.VISITOR, None, "Hello?")
    of_agents = [row for row in _rows() if row.__tablename__ not in _TENANT_TABLES]
    assert version.agent_id == agent_id
    assert [row.__tablename__ for row in of_agents if not await count_rows(engine, row)] == []

    async with record.write() as tx:
        await AgentRecords(tx).delete(workspace_id, agent_id)

    assert [row.__tablename__ for row in of_agents if await count_rows(engine, row)] == []


def _rows() -> list[type[Base]]:
    return [mapper.class_ for mapper in Base.registry.mappers]
