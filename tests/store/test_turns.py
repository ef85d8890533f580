"""Turns, from the question's commit to the receipt."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from sqlalchemy import Engine, delete, select

from app.agents.agent import Agent
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.conversations.conversation import Role
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.errors import NotFound, TurnConflict, TurnInProgress
from app.core.gap_state import GapReason
from app.core.list_page import PageRequest
from app.core.turn import (
    AnsweredBy,
    Citation,
    Finish,
    TokenUsage,
    TurnState,
    VisitorSession,
)
from app.gaps.records.gaps import GapRecords
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.source import Source
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import MESSAGES, VISITORS
from app.store.tables.turns import CITATIONS, OUTBOX, TURNS, USAGE
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
        conversation = ConversationRecords(tx).get(session.workspace_id, session.conversation_id)
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


async def test_the_end_stores_the_answer_with_its_citations(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    request = a_turn()
    await begin(record, session, request)
    clock.advance(2)
    citations = (
        Citation(1, "https://docs.example/install", "Install", date(2026, 1, 1), "c1", "Run it.\nThen wait."),
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
    assert rows == [2, 1, 1, 2]


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
    assert [message.text for message in messages] == ["How do I install it?", "Run the"]


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
        given = CuratedAnswerRecords(tx).get(agent.id, answer.id)
        assert given.hits == 2
        assert given.last_hit_at is not None
        CuratedAnswerRecords(tx).delete(agent.id, answer.id)
    turn_id = await ask(record, session, answer="Hello.", curated_answer_id=answer.id, citations=())
    with record.reading() as tx:
        assert StoredTurnRecords(tx).find(turn_id) is not None


async def test_what_happened_waits_in_the_outbox_once(
    record: SystemOfRecord, session: VisitorSession, engine: Engine
) -> None:
    turn_id = await ask(record, session, gap=GapReason.LOW_CONFIDENCE)
    with record.writing() as tx:
        TurnRecords(tx).feedback(session, turn_id, "down", "")
    with engine.connect() as connection:
        rows = connection.execute(select(OUTBOX.c.kind, OUTBOX.c.payload).order_by(OUTBOX.c.kind)).all()
    payload = {"turn_id": str(turn_id), "conversation_id": str(session.conversation_id)}
    assert rows == [("gap.seen", payload), ("turn.done", payload)]


async def test_turns_of_dead_processes_are_cut(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    elsewhere = await another_session(record, session)
    silent = await another_session(record, session)
    dead, alive, wordless = a_turn("Q1"), a_turn("Q2"), a_turn("Q3")
    await begin(record, session, dead, "web-dead")
    await begin(record, elsewhere, alive, "web-alive")
    await begin(record, silent, wordless, "web-dead")
    clock.advance(5)
    with record.writing() as tx:
        TurnRecords(tx).checkpoint({dead.turn_id: "Half an"})
        assert TurnRecords(tx).cut_orphans({"web-alive"}) == 2
        assert TurnRecords(tx).cut_orphans({"web-alive"}) == 0
    with record.reading() as tx:
        cut = StoredTurnRecords(tx).find(dead.turn_id)
        running = StoredTurnRecords(tx).find(alive.turn_id)
        messages = ConversationRecords(tx).messages(session.conversation_id, 10)
        of_silent = ConversationRecords(tx).messages(silent.conversation_id, 10)
    assert cut is not None
    assert running is not None
    assert (cut.state, cut.answer, cut.ended_at) == (TurnState.CUT, "Half an", clock.now())
    assert running.state is TurnState.RUNNING
    assert [message.text for message in messages] == ["Q1", "Half an"]
    assert [message.text for message in of_silent] == ["Q3"]


async def test_every_running_turn_is_cut_when_nobody_lives(record: SystemOfRecord, session: VisitorSession) -> None:
    await begin(record, session, a_turn())
    with record.writing() as tx:
        assert TurnRecords(tx).cut_orphans([]) == 1
    await begin(record, session, a_turn("Again"))


async def test_a_cut_turn_counts_as_one_turn_without_tokens(
    engine: Engine, record: SystemOfRecord, session: VisitorSession
) -> None:
    request = a_turn()
    await begin(record, session, request)
    with record.writing() as tx:
        TurnRecords(tx).cut_orphans([])
    assert await usage_of_turns(engine) == [(request.turn_id, "", 0, 0)]


async def test_an_owner_that_was_only_silent_ends_its_turn_in_place_of_the_cut(
    engine: Engine, record: SystemOfRecord, session: VisitorSession
) -> None:
    request = a_turn()
    await begin(record, session, request)
    with record.writing() as tx:
        TurnRecords(tx).checkpoint({request.turn_id: "The whole"})
        TurnRecords(tx).cut_orphans([])
    end = replace(an_end("The whole answer [1]."), usage=TokenUsage(9, 3, "gpt"))
    with record.writing() as tx:
        message_id = TurnRecords(tx).finish(request.turn_id, end)
    with record.writing() as tx:
        assert TurnRecords(tx).finish(request.turn_id, replace(end, answer="Twice.")) == message_id
        turn = StoredTurnRecords(tx).find(request.turn_id)
        messages = ConversationRecords(tx).messages(session.conversation_id, 10)
    assert turn is not None
    assert (turn.state, turn.answer, turn.message_id) == (TurnState.DONE, "The whole answer [1].", message_id)
    assert len(turn.citations) == len(end.citations)
    assert [message.text for message in messages] == [request.message, "The whole answer [1]."]
    assert await usage_of_turns(engine) == [(request.turn_id, end.answered_by.value, 9, 3)]
    with engine.connect() as connection:
        kinds = list(connection.scalars(select(OUTBOX.c.kind).order_by(OUTBOX.c.kind)))
    assert kinds == ["turn.cut", "turn.done"]


async def test_what_a_silent_owner_writes_on_is_kept(record: SystemOfRecord, session: VisitorSession) -> None:
    request, elsewhere = a_turn(), await another_session(record, session)
    other = a_turn("Q2")
    await begin(record, session, request)
    await begin(record, elsewhere, other, "web-alive")
    with record.writing() as tx:
        TurnRecords(tx).checkpoint({request.turn_id: "So far"})
        TurnRecords(tx).cut_orphans({"web-alive"})
    with record.writing() as tx:
        TurnRecords(tx).checkpoint({request.turn_id: "So far, so good", other.turn_id: "Well"})
    with record.reading() as tx:
        cut, running = (
            StoredTurnRecords(tx).find(request.turn_id),
            StoredTurnRecords(tx).find(other.turn_id),
        )
    assert cut is not None
    assert running is not None
    assert (cut.state, cut.answer) == (TurnState.CUT, "So far, so good")
    assert (running.state, running.answer) == (TurnState.RUNNING, "Well")


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
        assert StoredTurnRecords(tx).tokens_of_day(agent.id, today) == 26
    clock.advance(24 * 3600)
    with record.writing() as tx:
        assert StoredTurnRecords(tx).tokens_of_day(agent.id, clock.now().date()) == 0
        TurnRecords(tx).charge(agent.id, "suggestion", TokenUsage(0, 5, "gpt"))
        assert StoredTurnRecords(tx).tokens_of_day(agent.id, clock.now().date()) == 5
        assert StoredTurnRecords(tx).tokens_of_day(agent.id, today) == 26


async def usage_of_turns(engine: Engine) -> list[tuple[Any, ...]]:
    columns = select(USAGE.c.turn_id, USAGE.c.answered_by, USAGE.c.prompt_tokens, USAGE.c.completion_tokens)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(columns).all()]


async def test_a_citation_outlives_the_chunk_that_it_names(
    record: SystemOfRecord, session: VisitorSession, source: Source
) -> None:
    version = await add_live(record, source, a_page())
    with record.reading() as tx:
        cited: str = next(iter(LiveDocumentRecords(tx).live_chunk_ids(source.agent_id)))
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
