"""What turns and citations say of an agent's quality."""

import json
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import func, select

from app.conversations.records.packed_days import Kind, PackedDayRecords, begin_of
from app.knowledge.document import VersionState
from app.quality.asked_turns import by_place, microseconds, nearest_ranks, tallies
from app.quality.quality import DayQuality, PageCitations
from app.quality.records.asked_turns import AskedTurnRecords
from app.store.tables.conversations import CITATIONS, TURNS
from app.store.tables.documents import DOCUMENT_VERSIONS, DOCUMENTS
from app.store.transaction import Repository

_DAY: Final = timedelta(days=1)


class QualityRecords(Repository):
    """The caller has checked the workspace."""

    def days(self, agent_ids: Sequence[UUID], first: date, count: int) -> dict[UUID, list[DayQuality]]:
        """Of each agent so many days from `first` on, by when turns were asked, in UTC."""
        since = begin_of(first)
        asked = AskedTurnRecords(self._tx).between(agent_ids, since, since + count * _DAY)
        numbers = (asked.turns["at"] - microseconds(since)) // (_DAY // timedelta(microseconds=1))
        places, all_places = asked.agents * count + numbers, len(agent_ids) * count
        counts = tallies(asked.turns, places, all_places)
        words = by_place(asked.turns["first_word"], places, all_places)
        return {
            agent_id: [
                DayQuality.of(first + timedelta(days=number), counts[place], *nearest_ranks(words[place]))
                for number, place in enumerate(range(begin, begin + count))
            ]
            for agent_id, begin in zip(agent_ids, range(0, all_places, count), strict=True)
        }

    def cited(self, agent_id: UUID, first: date, last: date) -> list[PageCitations]:
        """Every URL that answers to questions of these days (by UTC) cite, most cited first; anchors are part of it."""
        packed, spans = PackedDayRecords(self._tx).packed(Kind.CITATIONS, [agent_id], first, last)
        found: dict[str, tuple[str, int]] = {}
        for content in [
            *(json.loads(content) for _, content in packed),
            *(self._cited(agent_id, span.first, span.last) for span in spans),
        ]:
            for url, title, often in content:
                known, before = found.get(url, ("", 0))
                found[url] = max(title, known), before + often
        pages = [PageCitations(url, title, often) for url, (title, often) in found.items()]
        return sorted(pages, key=lambda page: (-page.citations, page.url))

    def pack_cited(self, agent_id: UUID, day: date) -> bytes:
        """Empty where nothing was cited."""
        found = [tuple(each) for each in self._cited(agent_id, day, day)]
        return json.dumps(found).encode() if found else b""

    def _cited(self, agent_id: UUID, first: date, last: date) -> Iterator[tuple[str, str, int]]:
        statement = (
            select(CITATIONS.c.url, func.max(CITATIONS.c.title), func.count())
            .join(TURNS, TURNS.c.id == CITATIONS.c.turn_id)
            .where(
                TURNS.c.agent_id == agent_id,
                TURNS.c.created_at >= begin_of(first),
                TURNS.c.created_at < begin_of(last + _DAY),
            )
            .group_by(CITATIONS.c.url)
        )
        yield from self._connection.execute(statement)

    def live_pages(self, agent_id: UUID) -> list[PageCitations]:
        """Every page that can be cited, by its URL."""
        statement = (
            select(DOCUMENTS.c.url, DOCUMENT_VERSIONS.c.title)
            .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id)
            .where(DOCUMENT_VERSIONS.c.agent_id == agent_id, DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value)
            .order_by(DOCUMENTS.c.url)
        )
        return [PageCitations(url, title) for url, title in self._connection.execute(statement)]
