"""What a history promises, whatever its cache."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from app.conversations.history import History
from app.conversations.live_chat import Author
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.turns import TurnRecords
from app.core.turn import AnsweredBy, Exchange, Finish, TurnEnd, TurnRequest, TurnState, VisitorSession
from app.kit.cache import Cache
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of_new_agent

ASKED, AND_THEN = Exchange("Lamps?", "Yes, two."), Exchange("And chairs?", "None.")
TALK = Exchange("Which is best?", "The Nordlys.", is_with_person=True)


class HistoryContract:
    """A subclass gives the fixture `cache`."""

    @pytest.fixture
    def clock(self) -> FixedClock:
        return FixedClock()

    @pytest.fixture
    async def record(self, tmp_path: Path, clock: FixedClock) -> AsyncIterator[SystemOfRecord]:
        async with temporary_record(tmp_path, clock) as record:
            yield record

    @pytest.fixture
    async def session(self, record: SystemOfRecord) -> VisitorSession:
        return await visitor_of_new_agent(record)

    @pytest.fixture
    def history(self, record: SystemOfRecord, cache: Cache) -> History:
        return History(record, cache)

    @pytest.fixture
    def stored(self, record: SystemOfRecord, session: VisitorSession, clock: FixedClock) -> "Stored":
        return Stored(record, session, clock)

    async def test_a_turn_that_is_remembered_needs_no_record(self, history: History, session: VisitorSession) -> None:
        await history.remember(session.conversation_id, (ASKED,), AND_THEN)
        assert await history.recent(session.conversation_id) == (ASKED, AND_THEN)
        assert await history.recent(uuid4()) == ()

    async def test_what_people_wrote_is_told_from_then_on(
        self, history: History, session: VisitorSession, stored: "Stored"
    ) -> None:
        await stored.turn(ASKED)
        await history.remember(session.conversation_id, (), ASKED)
        await stored.talk(TALK)
        await history.people_wrote(session.conversation_id)
        assert await history.recent(session.conversation_id) == (ASKED, TALK)
        await stored.turn(AND_THEN)
        await history.remember(session.conversation_id, (ASKED, TALK), AND_THEN)
        assert await history.recent(session.conversation_id) == (ASKED, TALK, AND_THEN)

    async def test_a_turn_that_ran_while_people_wrote_hides_nothing_of_it(
        self, history: History, session: VisitorSession, stored: "Stored"
    ) -> None:
        before = await history.recent(session.conversation_id)
        await stored.turn(ASKED)
        await stored.talk(TALK)
        await history.people_wrote(session.conversation_id)
        await history.remember(session.conversation_id, before, ASKED)
        assert await history.recent(session.conversation_id) == (ASKED, TALK)

    async def test_what_people_wrote_can_be_remembered(self, history: History, session: VisitorSession) -> None:
        await history.remember(session.conversation_id, (TALK,), ASKED)
        assert await history.recent(session.conversation_id) == (TALK, ASKED)

    async def test_nothing_is_left_of_what_is_forgotten(
        self, history: History, session: VisitorSession, cache: Cache
    ) -> None:
        await history.remember(session.conversation_id, (TALK,), ASKED)
        await history.people_wrote(session.conversation_id)
        await history.forget(session.conversation_id)
        for kept in ("history", "people-wrote"):
            assert await cache.get(f"{kept}:{session.conversation_id}") is None
        assert await history.recent(session.conversation_id) == ()


class Stored:
    """Puts exchanges on the record, each a second after the one before."""

    def __init__(self, record: SystemOfRecord, session: VisitorSession, clock: FixedClock) -> None:
        self._record = record
        self._session = session
        self._clock = clock

    async def turn(self, exchange: Exchange) -> None:
        self._clock.advance(1)
        request = TurnRequest(uuid4(), exchange.question, "https://docs.example/")
        end = TurnEnd(
            TurnState.DONE, exchange.answer, AnsweredBy.MODEL, 1.0, low_confidence=False, finish=Finish.COMPLETE
        )
        with self._record.writing() as tx:
            TurnRecords(tx).begin(self._session, request, 1, "tests")
            TurnRecords(tx).finish(request.turn_id, end)

    async def talk(self, exchange: Exchange) -> None:
        self._clock.advance(1)
        with self._record.writing() as tx:
            chat = LiveChatRecords(tx).ask(self._session)
            chat = LiveChatRecords(tx).add(chat, uuid4(), Author.VISITOR, None, exchange.question)
            LiveChatRecords(tx).add(chat, uuid4(), Author.OPERATOR, "Ann", exchange.answer)
