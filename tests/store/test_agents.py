"""Agents: drafts, published versions and what visitors get."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import Engine

from app.agents.agent import Agent, AgentConfig
from app.agents.records.agents import AgentRecords
from app.agents.records.milestones import MilestoneRecords
from app.agents.records.user_keys import UserKeyRecords
from app.agents.signed_user import UserKey
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.conversations.inbox_entry import ConversationChange
from app.conversations.people.lead import Lead
from app.conversations.people.live_chat import Author
from app.conversations.people.records.leads import LeadRecords
from app.conversations.people.records.live_chats import LiveChatRecords
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.turns import TurnRecords
from app.core.errors import NotFound
from app.core.file_format import FileFormat
from app.core.gap_state import GapReason
from app.core.list_page import PageRequest
from app.core.turn import Finish, TokenUsage, VisitorSession
from app.core.webhook_event import WebhookEvent
from app.knowledge.records.contexts import ContextRecords
from app.quality.golden_question import GoldenQuestion
from app.quality.golden_run import GoldenRun
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.quality.records.golden_runs import GoldenRunRecords
from app.reports.records.topics import TopicRecords
from app.reports.topic import TopicPlace
from app.sources.files.records import FileRecords
from app.sources.records.given_documents import GivenDocumentRecords
from app.sources.records.hooks import HookRecords
from app.sources.records.schedules import ScheduleRecords
from app.sources.run_schedule import Schedule
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.site_reader import QueuedPage
from app.sources.source import Source
from app.store.system_of_record import SystemOfRecord
from app.store.tables import all_tables
from app.store.transaction import Transaction
from app.webhooks.records import WebhookRecords
from app.webhooks.webhook import Webhook
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_page, add_live, an_id, ask, count_rows

# A receipt outlives what it is for.
_TENANT_TABLES = {
    *("workspaces", "api_tokens", "signing_keys", "audit_log", "processes", "embedding_cache", "deletions"),
    *("operators", "operator_sessions"),
}


async def test_a_new_agent_is_a_draft_that_no_visitor_gets(record: SystemOfRecord, agent: Agent) -> None:
    assert (agent.draft.name, agent.live_version, agent.generation) == ("Ada", None, 0)
    with record.reading() as tx:
        assert AgentRecords(tx).exists(agent.id)
        with pytest.raises(NotFound):
            AgentRecords(tx).live(agent.id)


async def test_an_agent_needs_a_workspace(record: SystemOfRecord) -> None:
    with pytest.raises(NotFound, match="workspace"), record.writing() as tx:
        AgentRecords(tx).create(an_id(), AgentConfig(name="Ada"))


async def test_publishing_freezes_the_draft(record: SystemOfRecord, workspace_id: UUID, agent: Agent) -> None:
    with record.writing() as tx:
        published = AgentRecords(tx).publish(workspace_id, agent.id)
        AgentRecords(tx).save_draft(workspace_id, agent.id, replace(agent.draft, name="Bea"))
    with record.reading() as tx:
        live = AgentRecords(tx).live(agent.id)
    assert (published.number, live.version, live.config.name, live.workspace_id) == (1, 1, "Ada", workspace_id)


async def test_publishing_an_unchanged_draft_publishes_nothing(
    record: SystemOfRecord, workspace_id: UUID, agent: Agent, clock: FixedClock
) -> None:
    with record.writing() as tx:
        first = AgentRecords(tx).publish(workspace_id, agent.id)
        clock.advance(60)
        assert AgentRecords(tx).publish(workspace_id, agent.id) == first
        assert AgentRecords(tx).versions(workspace_id, agent.id) == [first]


async def test_going_back_to_an_older_configuration_is_a_new_version(
    record: SystemOfRecord, workspace_id: UUID, agent: Agent
) -> None:
    with record.writing() as tx:
        AgentRecords(tx).publish(workspace_id, agent.id)
        for name in ("Bea", "Ada"):
            AgentRecords(tx).save_draft(workspace_id, agent.id, replace(agent.draft, name=name))
            AgentRecords(tx).publish(workspace_id, agent.id)
        versions = AgentRecords(tx).versions(workspace_id, agent.id)
    assert [(version.number, version.config.name) for version in versions] == [(3, "Ada"), (2, "Bea"), (1, "Ada")]


async def test_a_saved_draft_says_when(
    record: SystemOfRecord, workspace_id: UUID, agent: Agent, clock: FixedClock
) -> None:
    clock.advance(60)
    with record.writing() as tx:
        saved = AgentRecords(tx).save_draft(workspace_id, agent.id, replace(agent.draft, tone="dry"))
    assert (saved.draft.tone, saved.created_at, saved.updated_at) == ("dry", agent.created_at, clock.now())


async def test_every_change_of_knowledge_raises_the_generation(record: SystemOfRecord, agent: Agent) -> None:
    with record.writing() as tx:
        assert [AgentRecords(tx).bump_generation(agent.id) for _ in range(2)] == [1, 2]
        with pytest.raises(NotFound):
            AgentRecords(tx).bump_generation(an_id())


async def test_agents_are_listed_oldest_first_page_by_page(
    record: SystemOfRecord, workspace_id: UUID, foreign_workspace_id: UUID
) -> None:
    with record.writing() as tx:
        for name in "abcde":
            AgentRecords(tx).create(workspace_id, AgentConfig(name=name))
        AgentRecords(tx).create(foreign_workspace_id, AgentConfig(name="foreign"))
    pages: list[str] = []
    cursor: str | None = None
    with record.reading() as tx:
        while True:
            page = AgentRecords(tx).page(workspace_id, PageRequest(limit=2, cursor=cursor))
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
        with pytest.raises(NotFound), record.writing() as tx:
            act(tx, workspace, asked)
    with record.reading() as tx:
        assert AgentRecords(tx).get(workspace_id, agent.id) == agent


async def test_deleting_an_agent_leaves_no_row_of_it(
    record: SystemOfRecord, engine: Engine, workspace_id: UUID, source: Source, session: VisitorSession
) -> None:
    agent_id = source.agent_id
    answer = CuratedAnswer(an_id(), agent_id, Trigger.EXACT, "hi", "Hello.")
    version = await add_live(record, source, a_page())
    with record.writing() as tx:
        AgentRecords(tx).publish(workspace_id, agent_id)
        CuratedAnswerRecords(tx).create(answer)
        GoldenQuestionRecords(tx).put(GoldenQuestion(an_id(), agent_id, "Hi?"))
        asked = GoldenRun(an_id(), agent_id, "ann", FixedClock().now(), 1, "0" * 64, 1, None, 1, 0)
        GoldenRunRecords(tx).add(asked, keep=1)
        run = CrawlRunRecords(tx).start_run(agent_id, source.id)
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage("https://docs.example/", 0)])
        FileRecords(tx).put(source.id, "prices.txt", FileFormat.TEXT, b"12 euros")
        GivenDocumentRecords(tx).put(source.id, a_page("https://docs.example/given"))
        ScheduleRecords(tx).set(source.id, Schedule(every_hours=24), FixedClock().now())
        MilestoneRecords(tx).tried(agent_id)
        UserKeyRecords(tx).set(UserKey(agent_id, "kid", b"salt", FixedClock().now()))
        HookRecords(tx).set(source.id, "kid", b"salt")
        HookRecords(tx).note_call(source.id, "signature", FixedClock().now())
        told = (WebhookEvent.TURN_FINISHED,)
        url = "https://hooks.example.com/"
        ContextRecords(tx).keep(version.document_id, "some-model", {"0" * 64: "About the installer."})
        WebhookRecords(tx).add(Webhook(an_id(), agent_id, url, told, "kid", b"salt", FixedClock().now()))
    turn_id = await ask(record, session, gap=GapReason.LOW_CONFIDENCE, curated_answer_id=answer.id)
    await ask(record, session, finish=Finish.STOPPED)
    with record.writing() as tx:
        WebhookRecords(tx).hand_out(10)
        conversation = ConversationRecords(tx).get(workspace_id, session.conversation_id)
        InboxRecords(tx).add_note(conversation, "ann", "Asked the warehouse.")
        InboxRecords(tx).change(agent_id, [session.conversation_id], ConversationChange(add_labels=("VIP",)))
        LeadRecords(tx).add(
            Lead(an_id(), agent_id, session.visitor_id, session.conversation_id, "", "a@b", "Hi", FixedClock().now())
        )
        TurnRecords(tx).feedback(session, turn_id, "down", "no")
        TurnRecords(tx).charge(agent_id, "suggestion", TokenUsage(4, 3, "gpt"))
        TopicRecords(tx).place(agent_id, "a model", [TopicPlace((1.0,), None, None, [(turn_id, "0" * 64)])])
        LiveChatRecords(tx).add(LiveChatRecords(tx).ask(session), an_id(), Author.VISITOR, None, "Hello?")
    of_agents = [table for table in all_tables().sorted_tables if table.name not in _TENANT_TABLES]
    assert version.agent_id == agent_id
    assert [table.name for table in of_agents if not await count_rows(engine, table)] == []

    with record.writing() as tx:
        AgentRecords(tx).delete(workspace_id, agent_id)

    assert [table.name for table in of_agents if await count_rows(engine, table)] == []
