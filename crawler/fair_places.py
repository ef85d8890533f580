"""Places for work of several owners, who take turns, so that none of them keeps the others waiting."""

from bisect import insort
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

import anyio


@dataclass(order=True, slots=True)
class _Turn:
    """In the order in which they are granted: by round, then first come first served."""

    round: int
    number: int
    owner: str = field(compare=False)
    has_come: anyio.Event = field(compare=False, default_factory=anyio.Event)


class FairPlaces:
    """`places` pieces of work at once, `per_owner` of one owner. Each owner who waits gets a place in each round
    (start-time fair queueing, Goyal et al. 1996, with work of equal length)."""

    def __init__(self, places: int, per_owner: int) -> None:
        self._free = places
        self._per_owner = per_owner
        self._round = 0  # that of the turn granted last
        self._rounds: dict[str, int] = {}  # by owner: of their latest turn
        self._waiting: list[_Turn] = []
        self._held: Counter[str] = Counter()
        self._numbers = count()
        self._when_all_free: list[anyio.Event] = []

    @asynccontextmanager
    async def held(self, owner: str) -> AsyncIterator[None]:
        """A place, once it is the owner's turn."""
        self._rounds[owner] = max(self._round, self._rounds.get(owner, -1) + 1)
        turn = _Turn(self._rounds[owner], next(self._numbers), owner)
        insort(self._waiting, turn)
        self._grant()
        try:
            await turn.has_come.wait()
            yield
        finally:
            self._leave(turn)
            self._grant()

    async def all_free(self) -> None:
        """Wait until nobody holds a place or waits for one."""
        if self._rounds:
            free = anyio.Event()
            self._when_all_free.append(free)
            await free.wait()

    def _leave(self, turn: _Turn) -> None:
        if turn.has_come.is_set():
            self._free += 1
            self._held[turn.owner] -= 1
        else:  # cancelled while it waited
            self._waiting.remove(turn)
        if not self._held[turn.owner] and all(each.owner != turn.owner for each in self._waiting):
            del self._held[turn.owner], self._rounds[turn.owner]
        while not self._rounds and self._when_all_free:
            self._when_all_free.pop().set()

    def _grant(self) -> None:
        for turn in list(self._waiting):
            if self._free and self._held[turn.owner] < self._per_owner:
                self._waiting.remove(turn)
                self._free -= 1
                self._held[turn.owner] += 1
                self._round = max(self._round, turn.round)
                turn.has_come.set()
