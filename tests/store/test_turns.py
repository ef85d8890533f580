"""Turns, from the question's commit to the receipt."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import Engine, delete

from app.agents.agent import Agent
from app.conversations.conversation import Role
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.errors import NotFound, TurnConflict, TurnInProgress
from app.core.turn import Citation, GapReason, TokenUsage, TurnState, VisitorSession
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.indexed_texts import IndexedTextRecords
from app.sources.source import Source
from app.stale_answers.records import PastAnswerRecords
from app.store.schema import page_key
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import CITATIONS, MESSAGES, OUTBOX, TURNS, USAGE, VISITORS
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import (
    OWNER,
    a_page,
    a_turn,
    add_live,
    an_end,
    an_id,
    another_session,
    ask,
    begin,
    count_rows,
)


async def test_a_question_is_stored_before_it_is_answered(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    request = a_turn("How do I install it?")
    await begin(record, session, request)
    with record.reading() as tx:
        turn = StoredTurnRecords(tx).find(request.turn_id)
        messages = ConversationRecords(tx).messages(session.conversation_id, 10)
    assert turn is not None
    assert (turn.state, turn.question, turn.answer, turn.message_id) == (
        TurnState.RUNNING,
        "How do I install it?",
        "",
        None,
    )
    assert (turn.fingerprint, turn.page_url, turn.created_at) == (
        request.fingerprint,
        request.page_url,
        clock.now(),
    )
    assert (turn.conversation_id, turn.visitor_id, turn.agent_id) == (
        session.conversation_id,
        session.visitor_id,
        session.agent_id,
    )
    assert [(message.role, message.text) for message in messages] == [(Role.VISITOR, "How do I install it?")]


async def test_an_absent_turn_is_none(record: SystemOfRecord) -> None:
    with record.reading() as tx:
        assert StoredTurnRecords(tx).find(an_id()) is None


async def test_a_turn_id_is_used_once(record: SystemOfRecord, session: VisitorSession) -> None:
    request = a_turn()
    await begin(record, session, request)
    elsewhere = await another_session(record, session)
    for who, owner in ((session, "web-2"), (elsewhere, OWNER)):
        with pytest.raises(TurnConflict):
            await begin(record, who, request, owner)


async def test_a_turn_that_was_begun_without_a_word_of_it_is_begun_once(
    record: SystemOfRecord, engine: Engine, session: VisitorSession
) -> None:
    """Its process asks again after the database was away."""
    request = a_turn()
    for _ in range(2):
        await begin(record, session, request)
    with pytest.raises(TurnConflict):
        await begin(record, session, replace(request, message="Something else?"))
    await record.write(lambda tx: TurnRecords(tx).finish(request.turn_id, an_end()))
    with pytest.raises(TurnConflict):
        await begin(record, session, request)
    assert await count_rows(engine, MESSAGES) == 2


async def test_a_conversation_answers_one_question_at_a_time(record: SystemOfRecord, session: VisitorSession) -> None:
    first = a_turn()
    await begin(record, session, first)
    with pytest.raises(TurnInProgress):
        await begin(record, session, a_turn("And now?"))
    with record.writing() as tx:
        TurnRecords(tx).finish(first.turn_id, an_end())
    await begin(record, session, a_turn("And now?"))


async def test_a_refused_question_leaves_no_trace_even_where_the_transaction_goes_on(
    record: SystemOfRecord, session: VisitorSession, engine: Engine
) -> None:
    await begin(record, session, a_turn("First"))
    with record.writing() as tx:
        with pytest.raises(TurnInProgress):
            TurnRecords(tx).begin(session, a_turn("Second"), 1, OWNER)
        conversation = ConversationRecords(tx).conversation(session.workspace_id, session.conversation_id)
    assert conversation.turn_count == 1
    assert await count_rows(engine, MESSAGES) == 1


@pytest.mark.parametrize("name", ["workspace_id", "agent_id", "visitor_id", "conversation_id"])
async def test_nobody_asks_in_a_conversation_that_is_not_theirs(
    record: SystemOfRecord, session: VisitorSession, name: str
) -> None:
    foreign: dict[str, Any] = {name: an_id()}
    with pytest.raises(NotFound, match="conversation"):
        await begin(record, replace(session, **foreign), a_turn())


async def test_nobody_asks_in_a_conversation_that_was_cleared(record: SystemOfRecord, session: VisitorSession) -> None:
    with record.writing() as tx:
        ConversationRecords(tx).clear(session)
    with pytest.raises(NotFound, match="conversation"):
        await begin(record, session, a_turn())


async def test_a_checkpoint_keeps_the_text_so_far(record: SystemOfRecord, session: VisitorSession) -> None:
    request = a_turn()
    await begin(record, session, request)
    with record.writing() as tx:
        TurnRecords(tx).checkpoint({request.turn_id: "Run the", an_id(): "nothing"})
        turn = StoredTurnRecords(tx).find(request.turn_id)
    assert turn is not None
    assert (turn.state, turn.answer) == (TurnState.RUNNING, "Run the")


async def test_a_checkpoint_after_the_end_is_too_late(record: SystemOfRecord, session: VisitorSession) -> None:
    turn_id = await ask(record, session, answer="Done.")
    with record.writing() as tx:
        TurnRecords(tx).checkpoint({turn_id: "Do"})
        turn = StoredTurnRecords(tx).find(turn_id)
    assert turn is not None
    assert turn.answer == "Done."


async def test_a_days_tokens_are_kept_as_they_are_charged(
    record: SystemOfRecord, session: VisitorSession, agent: Agent, clock: FixedClock
) -> None:
    spent = replace(an_end("Yes."), usage=TokenUsage(9, 3, "gpt"))
    today = clock.now().date()
    turn, cut = a_turn(), a_turn("Q2")
    for request in (turn, cut):
        await begin(record, session, request)
        with record.writing() as tx:
            if request is cut:
                TurnRecords(tx).cut_orphans([])
            TurnRecords(tx).finish(request.turn_id, spent)
            TurnRecords(tx).finish(request.turn_id, spent)
    with record.writing() as tx:
        TurnRecords(tx).charge(agent.id, "suggestion", TokenUsage(1, 1, "gpt"))
        assert StoredTurnRecords(tx).tokens_since(agent.id, today) == 26
    clock.advance(24 * 3600)
    with record.writing() as tx:
        assert StoredTurnRecords(tx).tokens_since(agent.id, clock.now().date()) == 0
        TurnRecords(tx).charge(agent.id, "suggestion", TokenUsage(0, 5, "gpt"))
        assert StoredTurnRecords(tx).tokens_since(agent.id, clock.now().date()) == 5
        assert StoredTurnRecords(tx).tokens_since(agent.id, today) == 31


async def test_a_citation_outlives_the_chunk_that_it_names(
    record: SystemOfRecord, session: VisitorSession, source: Source
) -> None:
    version = await add_live(record, source, a_page())
    with record.reading() as tx:
        cited: str = next(iter(IndexedTextRecords(tx).standing(source.agent_id).live))
    citation = Citation(1, "https://docs.example/install", "Install", date(2026, 1, 1), cited)
    turn_id = await ask(record, session, citations=(citation,))
    with record.writing() as tx:
        retired = DocumentRecords(tx).retire_document(source.agent_id, version.document_id)
        DocumentRecords(tx).purge_versions(retired)
        turn = StoredTurnRecords(tx).find(turn_id)
    assert turn is not None
    assert turn.citations == (citation,)


async def test_a_question_of_any_characters_is_stored(record: SystemOfRecord, session: VisitorSession) -> None:
    turn_id = await ask(
        record,
        session,
        "nul \x00, half a pair \ud83d, whole \U0001f600",
        answer="\x00",
        gap=GapReason.LOW_CONFIDENCE,
        trace={"nul\x00": ["\ud83d", float("nan"), (1, 2.5, None, True)]},
    )
    with record.reading() as tx:
        turn = StoredTurnRecords(tx).find(turn_id)
    assert turn is not None
    assert turn.question == "nul \ufffd, half a pair \ufffd, whole \U0001f600"
    assert turn.trace == {"nul\ufffd": ["\ufffd", None, [1, 2.5, None, True]]}


async def test_erasing_a_visitor_would_erase_what_they_said_and_keep_the_bill(
    record: SystemOfRecord, session: VisitorSession, engine: Engine
) -> None:
    await ask(record, session, gap=GapReason.LOW_CONFIDENCE)
    with engine.begin() as connection:
        connection.execute(delete(VISITORS).where(VISITORS.c.id == session.visitor_id))
    assert [await count_rows(engine, row) for row in (TURNS, MESSAGES, CITATIONS, OUTBOX)] == [0] * 4
    assert await count_rows(engine, USAGE) == 1


async def test_another_page_with_the_same_key_has_none_of_a_pages_answers(
    record: SystemOfRecord, session: VisitorSession
) -> None:
    cited, other = "https://docs.example/11785", "https://docs.example/52252"
    assert page_key(cited) == page_key(other)
    await ask(record, session, citations=(Citation(1, f"{cited}#a", "A", None, quote="Words."),))
    since = datetime(2020, 1, 1, tzinfo=UTC)
    with record.reading() as tx:
        [answer] = PastAnswerRecords(tx).citing(session.agent_id, cited, since, 9)
        assert answer.quotes == ("Words.",)
        assert PastAnswerRecords(tx).citing(session.agent_id, other, since, 9) == []
