"""Gaps: how they come to be, count, close and open again."""

from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest
from sqlalchemy import Engine, select

from app.agents.agent import Agent
from app.conversations.records.turns import TurnRecords
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import PageRequest
from app.core.turn import GapReason, GapState, VisitorSession
from app.gaps.gap import Gap
from app.gaps.records.gaps import GapRecords
from app.store.system_of_record import SystemOfRecord
from app.store.tables.gaps import GAP_QUESTIONS
from app.store.transaction import Transaction
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import an_id, ask

LOW = GapReason.LOW_CONFIDENCE


async def gaps_of(record: SystemOfRecord, agent_id: UUID, state: GapState | None = None) -> list[Gap]:
    return await record.read(lambda tx: list(GapRecords(tx).page(agent_id, state, PageRequest()).items))


async def only_gap(record: SystemOfRecord, agent_id: UUID) -> Gap:
    (gap,) = await gaps_of(record, agent_id)
    return gap


async def test_other_wordings_of_a_question_are_the_same_gap(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock, engine: Engine
) -> None:
    first_seen = clock.now()
    turns = [await ask(record, session, "Do you ship to Malta?", gap=LOW)]
    clock.advance(60)
    turns.append(await ask(record, session, "do you ship to MALTA", gap=GapReason.FAILURE_WORDS))
    gap = await only_gap(record, session.agent_id)
    assert (gap.question, gap.count, gap.state) == ("do you ship to MALTA", 2, GapState.OPEN)
    assert (gap.first_seen, gap.last_seen, gap.reason) == (first_seen, clock.now(), GapReason.FAILURE_WORDS)
    with engine.connect() as connection:
        columns = select(GAP_QUESTIONS.c.turn_id, GAP_QUESTIONS.c.question).order_by(GAP_QUESTIONS.c.id)
        wordings = connection.execute(columns).all()
    assert wordings == [(turns[0], "Do you ship to Malta?"), (turns[1], "do you ship to MALTA")]


async def test_an_answered_question_is_no_gap(record: SystemOfRecord, session: VisitorSession) -> None:
    await ask(record, session)
    assert await gaps_of(record, session.agent_id) == []


async def test_a_question_without_words_is_no_gap(record: SystemOfRecord, session: VisitorSession) -> None:
    await ask(record, session, "?!", gap=LOW)
    assert await gaps_of(record, session.agent_id) == []


async def test_a_question_longer_than_an_index_entry_is_a_gap(record: SystemOfRecord, session: VisitorSession) -> None:
    question = " ".join(f"word{number}" for number in range(2000))
    await ask(record, session, question, gap=LOW)
    await ask(record, session, question, gap=LOW)
    assert (await only_gap(record, session.agent_id)).count == 2


async def test_a_thumbs_down_is_a_gap(record: SystemOfRecord, session: VisitorSession) -> None:
    turn_id = await ask(record, session, "Why?")
    for rating in ("up", "down", "up", "down"):
        with record.writing() as tx:
            TurnRecords(tx).feedback(session, turn_id, rating, "")
    gap = await only_gap(record, session.agent_id)
    assert (gap.question, gap.count, gap.reason) == ("Why?", 1, GapReason.THUMBS_DOWN)


async def test_a_turn_counts_once_however_often_it_gives_itself_away(
    record: SystemOfRecord, session: VisitorSession
) -> None:
    turn_id = await ask(record, session, gap=LOW)
    with record.writing() as tx:
        TurnRecords(tx).feedback(session, turn_id, "down", "")
    assert (await only_gap(record, session.agent_id)).count == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(GapState.OPEN, GapState.OPEN, id="an open one stays open"),
        pytest.param(GapState.RESOLVED, GapState.OPEN, id="a resolved one opens again"),
        pytest.param(GapState.IGNORED, GapState.IGNORED, id="an ignored one only counts"),
    ],
)
async def test_a_gap_that_is_asked_again(
    record: SystemOfRecord, session: VisitorSession, before: GapState, after: GapState
) -> None:
    await ask(record, session, gap=LOW)
    gap = await only_gap(record, session.agent_id)
    with record.writing() as tx:
        changed = GapRecords(tx).set_state(session.workspace_id, gap.id, before, "wrote a page")
    assert (changed.state, changed.note, changed.count) == (before, "wrote a page", 1)
    await ask(record, session, gap=LOW)
    asked_again = await only_gap(record, session.agent_id)
    assert (asked_again.id, asked_again.state, asked_again.count) == (gap.id, after, 2)
    assert asked_again.note == "wrote a page"


async def test_gaps_are_listed_most_asked_first_page_by_page(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    for question in ("a", "b", "b", "c", "c", "d"):
        clock.advance(1)
        await ask(record, session, question, gap=LOW)
    questions: list[str] = []
    cursor: str | None = None
    with record.reading() as tx:
        while True:
            page = GapRecords(tx).page(session.agent_id, None, PageRequest(limit=1, cursor=cursor))
            questions += [gap.question for gap in page.items]
            if (cursor := page.next_cursor) is None:
                break
    assert questions == ["c", "b", "d", "a"]


async def test_gaps_are_listed_by_state(record: SystemOfRecord, session: VisitorSession) -> None:
    await ask(record, session, "a", gap=LOW)
    await ask(record, session, "b", gap=LOW)
    ignored = next(gap for gap in await gaps_of(record, session.agent_id) if gap.question == "a")
    with record.writing() as tx:
        GapRecords(tx).set_state(session.workspace_id, ignored.id, GapState.IGNORED, "")
    assert [gap.question for gap in await gaps_of(record, session.agent_id, GapState.OPEN)] == ["b"]
    assert [gap.question for gap in await gaps_of(record, session.agent_id, GapState.IGNORED)] == ["a"]
    assert await gaps_of(record, session.agent_id, GapState.RESOLVED) == []


@pytest.mark.parametrize("cursor", ["", "?", "x", "bnVsbA", "WzEsMl0", "WyJhIiwiYiIsImMiXQ", "é", "W" * 5000])
async def test_a_cursor_that_no_list_gave_is_refused(record: SystemOfRecord, agent: Agent, cursor: str) -> None:
    with record.reading() as tx, pytest.raises(InvalidInput, match="cursor"):
        GapRecords(tx).page(agent.id, None, PageRequest(cursor=cursor))


@pytest.mark.parametrize("limit", [0, -1, 201])
async def test_a_page_has_1_to_200_items(record: SystemOfRecord, agent: Agent, limit: int) -> None:
    with record.reading() as tx, pytest.raises(InvalidInput, match="limit"):
        GapRecords(tx).page(agent.id, None, PageRequest(limit=limit))


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda tx, w, g: GapRecords(tx).gap(w, g), id="get"),
        pytest.param(lambda tx, w, g: GapRecords(tx).set_state(w, g, GapState.IGNORED, ""), id="set_state"),
    ],
)
async def test_a_foreign_gap_is_an_absent_one(
    record: SystemOfRecord,
    session: VisitorSession,
    foreign_workspace_id: UUID,
    act: Callable[[Transaction, UUID, UUID], Awaitable[object]],
) -> None:
    await ask(record, session, gap=LOW)
    gap = await only_gap(record, session.agent_id)
    for workspace_id, gap_id in ((foreign_workspace_id, gap.id), (session.workspace_id, an_id())):
        with pytest.raises(NotFound, match="gap"), record.writing() as tx:
            act(tx, workspace_id, gap_id)
    with record.reading() as tx:
        assert GapRecords(tx).gap(session.workspace_id, gap.id) == gap
