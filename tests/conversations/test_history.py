"""The history on the cache of one process."""

import pytest

from app.conversations.history import History
from app.core.turn import VisitorSession
from app.kit.cache import MemoryCache
from tests.contracts.history_contract import AND_THEN, ASKED, TALK, HistoryContract, Stored

DAY = 24 * 3600


class TestHistoryInMemory(HistoryContract):
    @pytest.fixture(autouse=True)
    def _own_time(self) -> None:
        self.seconds = 0.0

    @pytest.fixture
    def cache(self) -> MemoryCache:
        return MemoryCache(now=lambda: self.seconds)

    async def test_a_turn_that_ended_late_hides_what_people_wrote_at_no_time(
        self, history: History, session: VisitorSession, stored: Stored
    ) -> None:
        await stored.turn(ASKED)
        await stored.talk(TALK)
        await history.people_wrote(session.conversation_id)
        self.seconds = 600
        await history.remember(session.conversation_id, (), ASKED)
        for self.seconds in (600, DAY + 1, DAY + 599, DAY + 601, 2 * DAY):
            assert await history.recent(session.conversation_id) == (ASKED, TALK)

    async def test_what_cannot_be_read_is_read_from_the_record(
        self, history: History, session: VisitorSession, cache: MemoryCache, stored: Stored
    ) -> None:
        await stored.turn(AND_THEN)
        for unreadable in (b"no JSON", b"7", b"[[1]]", b"[[1, 2, 3, 4]]"):
            await cache.set(f"history:{session.conversation_id}", unreadable, ttl_seconds=60)
            assert await history.recent(session.conversation_id) == (AND_THEN,)
