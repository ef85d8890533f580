"""What the end of a turn stores, and what it sets off."""

from datetime import date

import pytest
from sqlalchemy import Engine, select

from app.agents.agent import Agent
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.conversations.conversation import Role
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy, Citation, Finish, GapReason, TokenUsage, TurnState, VisitorSession
from app.gaps.records.gaps import GapRecords
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import CITATIONS, MESSAGES, OUTBOX, USAGE
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_turn, an_end, an_id, ask, begin, count_rows


async def test_the_end_stores_the_answer_with_its_citations(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    request = a_turn()
    await begin(record, session, request)
    clock.advance(2)
    citations = (
        Citation(
            1, "https://docs.example/install", "Install", date(2026, 1, 1), "c1", "Run it.\nThen wait.", "Or do not."
        ),
        Citation(2, "https://docs.example/here", "This page", None),
    )
    end = an_end(
        "Run it [1][2].",
        citations=citations,
        language="en",
        first_token_ms=40,
        duration_ms=900,
        trace={"stages": [{"name": "recall", "ms": 3.5}]},
    )
    with record.writing() as tx:
        TurnRecords(tx).checkpoint({request.turn_id: "Run"})
        message_id = TurnRecords(tx).finish(request.turn_id, end)
    with record.reading() as tx:
        turn = StoredTurnRecords(tx).find(request.turn_id)
        messages = ConversationRecords(tx).messages(session.conversation_id, 10)
    assert turn is not None
    assert (turn.state, turn.answer, turn.message_id) == (TurnState.DONE, "Run it [1][2].", message_id)
    assert (turn.answered_by, turn.confidence, turn.low_confidence) == (AnsweredBy.MODEL, 0.8, False)
    assert (turn.finish, turn.error_code, turn.ended_at) == (Finish.COMPLETE, None, clock.now())
    assert (turn.citations, turn.trace) == (citations, end.trace)
    answer = messages[1]
    assert (answer.id, answer.turn_id, answer.role, answer.text) == (
        message_id,
        turn.id,
        Role.AGENT,
        "Run it [1][2].",
    )
    assert (answer.citations, answer.answered_by, answer.created_at) == (citations, AnsweredBy.MODEL, clock.now())
    assert (messages[0].citations, messages[0].answered_by) == ((), None)


async def test_the_end_stores_what_the_turn_cost(
    record: SystemOfRecord, session: VisitorSession, engine: Engine
) -> None:
    turn_id = await ask(record, session, usage=TokenUsage(100, 20, "small"))
    with engine.connect() as connection:
        columns = select(USAGE.c.turn_id, USAGE.c.agent_id, USAGE.c.prompt_tokens, USAGE.c.completion_tokens)
        assert connection.execute(columns).all() == [(turn_id, session.agent_id, 100, 20)]


async def test_a_second_end_changes_nothing(
    record: SystemOfRecord, session: VisitorSession, engine: Engine, agent: Agent
) -> None:
    request = a_turn()
    await begin(record, session, request)
    with record.writing() as tx:
        first = TurnRecords(tx).finish(request.turn_id, an_end("First.", gap=GapReason.LOW_CONFIDENCE))
    with record.writing() as tx:
        second = TurnRecords(tx).finish(request.turn_id, an_end("Second.", state=TurnState.FAILED))
        turn = StoredTurnRecords(tx).find(request.turn_id)
        gap = GapRecords(tx).page(agent.id, None, PageRequest()).items[0]
    assert turn is not None
    assert (second, turn.state, turn.answer, gap.count) == (first, TurnState.DONE, "First.", 1)
    rows = [await count_rows(engine, row) for row in (MESSAGES, CITATIONS, USAGE, OUTBOX)]
    assert rows == [2, 1, 1, 3]


async def test_an_erased_turn_cannot_end(record: SystemOfRecord) -> None:
    with pytest.raises(NotFound), record.writing() as tx:
        TurnRecords(tx).finish(an_id(), an_end())


async def test_a_failed_turn_keeps_its_partial_text(record: SystemOfRecord, session: VisitorSession) -> None:
    turn_id = await ask(
        record, session, answer="Run the", state=TurnState.FAILED, error_code="model_interrupted", citations=()
    )
    with record.reading() as tx:
        turn = StoredTurnRecords(tx).find(turn_id)
        messages = ConversationRecords(tx).messages(session.conversation_id, 10)
        assert StoredTurnRecords(tx).history(session.conversation_id, 6) == []
    assert turn is not None
    assert (turn.state, turn.error_code) == (TurnState.FAILED, "model_interrupted")
    assert [(message.text, message.error_code) for message in messages] == [
        ("How do I install it?", None),
        ("Run the", "model_interrupted"),
    ]


async def test_history_tells_how_an_answer_ended(record: SystemOfRecord, session: VisitorSession) -> None:
    await ask(record, session, answer="Run the", finish=Finish.STOPPED)
    with record.reading() as tx:
        messages = ConversationRecords(tx).messages(session.conversation_id, 10)
    assert [(message.finish, message.error_code) for message in messages] == [(None, None), (Finish.STOPPED, None)]


async def test_a_turn_that_failed_without_a_word_shows_no_empty_bubble(
    record: SystemOfRecord, session: VisitorSession
) -> None:
    await ask(record, session, answer="", state=TurnState.FAILED, citations=())
    with record.reading() as tx:
        messages = ConversationRecords(tx).messages(session.conversation_id, 10)
    assert [message.role for message in messages] == [Role.VISITOR]


async def test_a_curated_answer_counts_its_hits(record: SystemOfRecord, session: VisitorSession, agent: Agent) -> None:
    answer = CuratedAnswer(an_id(), agent.id, Trigger.EXACT, "hi", "Hello.")
    with record.writing() as tx:
        CuratedAnswerRecords(tx).create(answer)
    for _ in range(2):
        await ask(record, session, answer="Hello.", curated_answer_id=answer.id, citations=())
    with record.writing() as tx:
        given = CuratedAnswerRecords(tx).answer(agent.id, answer.id)
        assert given.hits == 2
        assert given.last_hit_at is not None
        CuratedAnswerRecords(tx).delete(agent.id, answer.id)
    turn_id = await ask(record, session, answer="Hello.", curated_answer_id=answer.id, citations=())
    with record.reading() as tx:
        assert StoredTurnRecords(tx).find(turn_id) is not None


async def test_what_happened_waits_in_the_outbox_once(
    record: SystemOfRecord, session: VisitorSession, engine: Engine, agent: Agent
) -> None:
    turn_id = await ask(record, session, gap=GapReason.LOW_CONFIDENCE)
    with record.writing() as tx:
        TurnRecords(tx).feedback(session, turn_id, "down", "")
        [gap] = GapRecords(tx).page(agent.id, None, PageRequest()).items
    with engine.connect() as connection:
        rows = connection.execute(select(OUTBOX.c.kind, OUTBOX.c.payload).order_by(OUTBOX.c.kind)).all()
    payload = {"turn_id": str(turn_id), "conversation_id": str(session.conversation_id)}
    grown = {"gap_id": str(gap.id), "count": 1}
    assert rows == [("gap.grown", grown), ("gap.seen", payload), ("turn.done", payload)]
