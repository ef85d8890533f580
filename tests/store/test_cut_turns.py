"""Turns whose process has died are cut, and one that was only silent goes on."""

from dataclasses import replace

from sqlalchemy import Engine, select

from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.turn import TokenUsage, TurnState, VisitorSession
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import OUTBOX
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_turn, an_end, another_session, begin, usage_of_turns


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
    assert cut.error_code == "interrupted"
    assert running.state is TurnState.RUNNING
    assert [(message.text, message.error_code) for message in messages] == [("Q1", None), ("Half an", "interrupted")]
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
    assert turn.error_code is None
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
