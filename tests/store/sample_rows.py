"""Things to store."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Engine, Table, func, insert, select, update

from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.turns import TurnRecords
from app.core.chunk import ChunkDraft, content_hash
from app.core.turn import (
    AnsweredBy,
    Channel,
    Citation,
    Finish,
    GapReason,
    TurnEnd,
    TurnRequest,
    TurnState,
    VisitorSession,
)
from app.knowledge.document import PageContent, PendingVersion
from app.knowledge.records.documents import DocumentRecords
from app.sources.source import Source
from app.store.processes import database_time
from app.store.system_of_record import SystemOfRecord
from app.store.tables.agents import PROCESSES, WORKSPACES
from app.store.tables.conversations import USAGE

OWNER = "web-1"


def an_id() -> UUID:
    return uuid4()


def a_page(url: str = "https://docs.example/install", text: str = "Run the installer.") -> PageContent:
    return PageContent(url=url, title="Install", markdown=f"# Install\n\n{text}", language="en")


def some_chunks(*texts: str) -> list[ChunkDraft]:
    return [
        ChunkDraft(position=i, text=text, context="docs.example > Install", breadcrumb=("Install",), anchor="top")
        for i, text in enumerate(texts)
    ]


def a_turn(question: str = "How do I install it?", turn_id: UUID | None = None) -> TurnRequest:
    return TurnRequest(turn_id or an_id(), question, "https://docs.example/install")


def an_end(
    answer: str = "Run the installer [1].",
    *,
    state: TurnState = TurnState.DONE,
    answered_by: AnsweredBy = AnsweredBy.MODEL,
    gap: GapReason | None = None,
    curated_answer_id: UUID | None = None,
    finish: Finish = Finish.COMPLETE,
    citations: tuple[Citation, ...] = (Citation(1, "https://docs.example/install", "Install", date(2026, 1, 1), "c1"),),
    **rest: Any,
) -> TurnEnd:
    return TurnEnd(
        state=state,
        answer=answer,
        answered_by=answered_by,
        confidence=0.8,
        low_confidence=gap is not None,
        finish=finish,
        citations=citations,
        gap=gap,
        curated_answer_id=curated_answer_id,
        **rest,
    )


async def add_workspace(engine: Engine) -> UUID:
    """A second tenant, made after the first."""
    workspace_id = an_id()
    with engine.begin() as connection:
        connection.execute(
            insert(WORKSPACES).values(id=workspace_id, name="other", created_at=datetime(2099, 1, 1, tzinfo=UTC))
        )
    return workspace_id


async def add_pending(record: SystemOfRecord, source: Source, page: PageContent, *texts: str) -> PendingVersion:
    return await record.write(
        lambda tx: DocumentRecords(tx).add_pending(
            source.agent_id, source.id, page, content_hash(page.markdown), some_chunks(*texts or ("Run it.",))
        )
    )


async def add_live(record: SystemOfRecord, source: Source, page: PageContent, *texts: str) -> PendingVersion:
    version = await add_pending(record, source, page, *texts)
    await record.write(lambda tx: DocumentRecords(tx).make_live(version))
    return version


async def another_session(record: SystemOfRecord, session: VisitorSession) -> VisitorSession:
    """Another visitor of the same agent."""
    with record.writing() as tx:
        visitor = ConversationRecords(tx).visitor(session.agent_id, an_id())
        conversation = ConversationRecords(tx).start(visitor, Channel.WIDGET)
    return replace(session, visitor_id=visitor.id, conversation_id=conversation.id)


async def begin(record: SystemOfRecord, session: VisitorSession, request: TurnRequest, owner: str = OWNER) -> None:
    await record.write(lambda tx: TurnRecords(tx).begin(session, request, 1, owner))


async def ask(
    record: SystemOfRecord, session: VisitorSession, question: str = "How do I install it?", **end: Any
) -> UUID:
    """A whole turn; return its id."""
    request = a_turn(question)
    await begin(record, session, request)
    await record.write(lambda tx: TurnRecords(tx).finish(request.turn_id, an_end(**end)))
    return request.turn_id


async def silence(engine: Engine, process: str, seconds: int) -> None:
    """As if the process had not beaten for so long."""
    then = database_time(engine.dialect.name, seconds_ago=seconds)
    with engine.begin() as connection:
        connection.execute(update(PROCESSES).where(PROCESSES.c.name == process).values(beaten_at=then))


async def count_rows(engine: Engine, table: Table) -> int:
    with engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


async def usage_of_turns(engine: Engine) -> list[tuple[Any, ...]]:
    columns = select(USAGE.c.turn_id, USAGE.c.answered_by, USAGE.c.prompt_tokens, USAGE.c.completion_tokens)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(columns).all()]
