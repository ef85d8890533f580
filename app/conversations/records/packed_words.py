"""An index that narrows the turns of past days to those that may contain the words of a search: superimposed coding
(Faloutsos and Christodoulakis 1984).

Every three consecutive characters of a word are hashed to one of SLICES bits, so parts of words can be found, too. In
scripts without spaces between words, one and two characters are hashed as well, because words can be that short.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final
from uuid import UUID

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, and_, func, or_, select

from app.conversations.records.packed_days import DaySpan, Kind, PackedDayRecords
from app.store.tables.conversations import MESSAGES, TURNS
from app.store.transaction import Repository

SLICES: Final = 2048  # an answer of 600 characters sets a tenth of them
_LONGEST: Final = 3
_PRIME, _SHIFT = np.uint32(0x9E3779B1), np.uint32(15)  # of xxHash
_SPACE: Final = ord(" ")
_UNSPACED: Final = 0x0E00  # from Thai on

Slices = npt.NDArray[np.uint32]
_ID: Final = 16  # bytes
_PARTS: Final = 256  # of a day with more turns than this; other days are one
_MOST_SLICES: Final = 12  # read for a search
_MOST_TURNS: Final = 2_000  # of packed days, to check one by one
_MOST_UNPACKED: Final = 20_000


@dataclass(frozen=True, slots=True)
class MayContain:
    """Turns of packed days that may contain all words, and the days that are not packed."""

    turn_ids: Sequence[UUID]
    unpacked: Sequence[DaySpan]


class PackedWordRecords(Repository):
    """The caller has checked the workspace of the agent."""

    def pack(self, agent_id: UUID, day: date) -> list[bytes]:
        """The ids of the day's turns, then the parts: one bit per turn for each of the SLICES."""
        of_day = turns_of_span(agent_id, DaySpan([agent_id], day, day))
        ids = list(self._connection.scalars(select(TURNS.c.id).where(of_day).order_by(TURNS.c.id)))
        places = {turn_id: place for place, turn_id in enumerate(ids)}
        bits = np.zeros((SLICES, -(-len(ids) // 8)), np.uint8)
        messages = (
            select(MESSAGES.c.turn_id, MESSAGES.c.text).join(TURNS, TURNS.c.id == MESSAGES.c.turn_id).where(of_day)
        )
        for turn_id, text in self._connection.execute(messages, execution_options={"yield_per": 1000}):
            byte, bit = divmod(places[turn_id], 8)
            bits[slices_of(text), byte] |= 128 >> bit
        parts = np.split(bits, _part_count(len(ids)))
        return [b"".join(turn_id.bytes for turn_id in ids), *(part.tobytes() for part in parts)] if ids else [b""]

    def may_contain(self, agent_id: UUID, words: Sequence[str]) -> MayContain | None:
        """None if the index cannot narrow the search: words too short, too many matches, or too many unpacked turns."""
        wanted = np.unique(np.concatenate([slices_of(word) for word in words]))[:_MOST_SLICES]
        first = self._connection.scalar(select(func.min(TURNS.c.created_at)).where(TURNS.c.agent_id == agent_id))
        if not len(wanted) or first is None:
            return None
        days = PackedDayRecords(self._tx)
        packed, unpacked = days.packed(Kind.WORDS, [agent_id], first.date(), self._today())
        if self._has_many(agent_id, unpacked):
            return None
        ids = {day: content for _, day, content in packed}
        parts: dict[date, dict[int, bytes]] = {day: {} for day in ids}
        for day, part, content in days.words(agent_id, ids, {0, *(wanted // (SLICES // _PARTS)).tolist()}):
            parts[day][part] = content
        found: list[UUID] = []
        for day, own in ids.items():
            found += _having(wanted, own, parts[day])
            if len(found) > _MOST_TURNS:  # frequent words: the latest conversations have them
                return None
        return MayContain(found, unpacked)

    def _has_many(self, agent_id: UUID, spans: Sequence[DaySpan]) -> bool:
        if not spans:
            return False
        turn_ids = select(TURNS.c.id).where(or_(*(turns_of_span(agent_id, span) for span in spans)))
        return self._connection.scalar(turn_ids.offset(_MOST_UNPACKED).limit(1)) is not None


def turns_of_span(agent_id: UUID, span: DaySpan) -> ColumnElement[bool]:
    return and_(TURNS.c.agent_id == agent_id, TURNS.c.created_at >= span.since, TURNS.c.created_at < span.until)


def _part_count(turns: int) -> int:
    return _PARTS if turns > _PARTS else 1


def _having(wanted: Slices, ids: bytes, parts: dict[int, bytes]) -> list[UUID]:
    """The turns of a day whose bits are set in all of these slices."""
    count = len(ids) // _ID
    width, of_part = -(-count // 8), SLICES // _part_count(count)
    slices = [
        np.frombuffer(parts[number // of_part], np.uint8, width, number % of_part * width) for number in wanted.tolist()
    ]
    [places] = np.nonzero(np.unpackbits(np.bitwise_and.reduce(slices), count=count))
    return [UUID(bytes=ids[place * _ID : (place + 1) * _ID]) for place in places.tolist()]


def slices_of(text: str) -> Slices:
    """The slices of a text, in ascending order; empty if all words are too short. They include the slices of every part
    of its words, ignoring case."""
    points = np.frombuffer(" ".join(_folded(text).split()).encode("utf-32-le", "surrogatepass"), "<u4")
    in_word, is_unspaced = points != _SPACE, points >= _UNSPACED
    found: list[Slices] = []
    hashed = np.zeros(len(points), np.uint32)
    for before in range(_LONGEST):
        count = max(0, len(points) - before)
        hashed = (hashed[:count] ^ points[before:]) * _PRIME
        hashed ^= hashed >> _SHIFT
        fits = in_word if before == _LONGEST - 1 else is_unspaced
        kept = np.logical_and.reduce([fits[place : place + count] for place in range(before + 1)])
        found.append(hashed[kept] % SLICES)
    return np.unique(np.concatenate(found))


def _folded(text: str) -> str:
    """The same text for all spellings that a database or `str.upper` treats as equal, including Turkish ones."""
    return text.casefold().replace("\u0307", "").replace("ı", "i")
