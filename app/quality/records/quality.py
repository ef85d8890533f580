"""An agent's quality from turns and citations; and the questions of any days, from packed days or the turns
themselves."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import chain
from typing import Any, Final
from uuid import UUID

import numpy as np
from sqlalchemy import Column, ColumnElement, Text, and_, case, cast, func, literal_column, or_, select

from app.conversations.records.conversation_search import IS_HANDED_OVER, IS_QUESTION
from app.conversations.records.moment_parts import utc_moment
from app.conversations.records.packed_days import Kind, PackedDayRecords
from app.core.turn import AnsweredBy, TurnState
from app.kit.clock import begin_of
from app.knowledge.document import VersionState
from app.quality.quality import DayQuality, PageCitations
from app.quality.turn_arrays import (
    OUTCOMES,
    RATINGS,
    TURN,
    UNTIMED,
    Places,
    Rows,
    TurnArrays,
    by_place,
    microseconds,
    nearest_ranks,
    tallies,
)
from app.store.tables.conversations import CITATIONS, CONVERSATIONS, FEEDBACK, LIVE_CHATS, TURNS
from app.store.tables.knowledge import DOCUMENT_VERSIONS, DOCUMENTS
from app.store.transaction import Repository

_DAY: Final = timedelta(days=1)
_MOMENT: Final = timedelta(microseconds=1)
_LENGTH: Final = 4  # bytes before a packed day's names


class QualityRecords(Repository):
    """The caller has checked the workspace."""

    def days(self, agent_ids: Sequence[UUID], first: date, count: int) -> dict[UUID, list[DayQuality]]:
        """For each agent so many days from `first` on, by the time at which turns were asked, in UTC."""
        since = begin_of(first)
        found = TurnArrayRecords(self._tx).between(agent_ids, since, since + count * _DAY)
        numbers = (found.turns["at"] - microseconds(since)) // (_DAY // timedelta(microseconds=1))
        places, all_places = found.agents * count + numbers, len(agent_ids) * count
        counts = tallies(found.turns, places, all_places)
        words = by_place(found.turns["first_word"], places, all_places)
        return {
            agent_id: [
                DayQuality.from_counts(first + timedelta(days=number), counts[place], *nearest_ranks(words[place]))
                for number, place in enumerate(range(begin, begin + count))
            ]
            for agent_id, begin in zip(agent_ids, range(0, all_places, count), strict=True)
        }

    def cited(self, agent_id: UUID, first: date, last: date) -> list[PageCitations]:
        """Every URL, with its fragment, that answers to questions of these days (by UTC) cite, most cited first."""
        packed, spans = PackedDayRecords(self._tx).packed(Kind.CITATIONS, [agent_id], first, last)
        found = _summed(
            *(json.loads(content) for _, _, content in packed),
            *(self._cited(agent_id, span.first, span.last) for span in spans),
        )
        pages = [PageCitations(url, title, often) for url, (title, often) in found.items()]
        return sorted(pages, key=lambda page: (-page.citations, page.url))

    def pack_cited(self, agent_id: UUID, day: date) -> bytes:
        """The day's citations as JSON; b"" without any."""
        found = [(url, *of_url) for url, of_url in _summed(self._cited(agent_id, day, day)).items()]
        return json.dumps(found).encode() if found else b""

    def _cited(self, agent_id: UUID, first: date, last: date) -> Iterator[tuple[str, str, int]]:
        statement = (
            select(CITATIONS.c.citations)
            .join(TURNS, TURNS.c.id == CITATIONS.c.turn_id)
            .where(
                TURNS.c.agent_id == agent_id,
                TURNS.c.created_at >= begin_of(first),
                TURNS.c.created_at < begin_of(last + _DAY),
            )
        )
        for citation in chain.from_iterable(self._connection.scalars(statement)):
            yield citation["url"], citation["title"], 1

    def live_pages(self, agent_id: UUID) -> list[PageCitations]:
        """Every page that can be cited, by its URL."""
        statement = (
            select(DOCUMENTS.c.url, DOCUMENT_VERSIONS.c.title)
            .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id)
            .where(DOCUMENT_VERSIONS.c.agent_id == agent_id, DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value)
            .order_by(DOCUMENTS.c.url)
        )
        return [PageCitations(url, title) for url, title in self._connection.execute(statement)]


def _summed(*cited: Iterable[tuple[str, str, int]]) -> dict[str, tuple[str, int]]:
    """Title and number of citations by URL."""
    found: dict[str, tuple[str, int]] = {}
    for url, title, often in chain.from_iterable(cited):
        known, before = found.get(url, ("", 0))
        found[url] = max(title, known), before + often
    return found


def _place(names: Sequence[str | None], name: str | None) -> ColumnElement[Any]:
    """The index as a literal: Postgres takes an expression with parameters for a different one in GROUP BY."""
    return literal_column(str(names.index(name)))


OUTCOME: Final = case(
    (IS_HANDED_OVER, _place(OUTCOMES, "handed_over")),
    (TURNS.c.state != TurnState.DONE.value, _place(OUTCOMES, "failed")),
    (
        or_(TURNS.c.low_confidence, TURNS.c.answered_by == AnsweredBy.FALLBACK.value),
        _place(OUTCOMES, "abstained"),
    ),
    else_=_place(OUTCOMES, "answered"),
)
RATING: Final = case(
    *((FEEDBACK.c.rating == name, _place(RATINGS, name)) for name in RATINGS if name), else_=_place(RATINGS, None)
)


# Of each turn, before its ids.
_COLUMNS: Final = (
    OUTCOME,
    case((TURNS.c.answered_by == AnsweredBy.CURATED.value, literal_column("1")), else_=literal_column("0")),
    RATING,
    func.coalesce(TURNS.c.first_token_ms, literal_column(str(UNTIMED))),
    func.coalesce(TURNS.c.language, ""),
    TURNS.c.page_url,
)


def ended_between(since: datetime, until: datetime) -> ColumnElement[bool]:
    """The condition for questions that began from `since` on and before `until`, and have ended."""
    return and_(
        TURNS.c.created_at >= since,
        TURNS.c.created_at < until,
        TURNS.c.state != TurnState.RUNNING.value,
        IS_QUESTION,
    )


class TurnArrayRecords(Repository):
    """The caller has checked the workspace of the agents."""

    def between(self, agent_ids: Sequence[UUID], since: datetime, until: datetime) -> TurnArrays:
        """The questions that began from `since` on and before `until`."""
        last = (until - _MOMENT).date()
        packed, spans = PackedDayRecords(self._tx).packed(Kind.TURNS, agent_ids, since.date(), last)
        gathered = _Gathered(agent_ids)
        for agent_id, _, content in packed:
            gathered.unpack(agent_id, content)
        for span in spans:
            gathered.add(self._rows(span.agent_ids, max(since, span.since), min(until, span.until)))
        gathered.add(self._wishes(agent_ids, since, until))
        return gathered.arrays().between(since, until)

    def pack(self, agent_id: UUID, day: date) -> bytes:
        """The day's questions as bytes; b"" without any."""
        gathered = _Gathered([agent_id])
        gathered.add(self._rows([agent_id], begin_of(day), begin_of(day + _DAY)))
        arrays = gathered.arrays()
        if not len(arrays.turns):
            return b""
        names = json.dumps([arrays.languages, arrays.pages]).encode()
        return len(names).to_bytes(_LENGTH, "little") + names + arrays.turns.tobytes()

    def _rows(self, agent_ids: Sequence[UUID], since: datetime, until: datetime) -> Sequence[Any]:
        ids = self._texts(TURNS.c.agent_id, TURNS.c.conversation_id, TURNS.c.visitor_id)
        statement = (
            select(utc_moment(self._dialect, TURNS.c.created_at), *_COLUMNS, *ids)
            .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
            .where(TURNS.c.agent_id.in_(agent_ids), ended_between(since, until))
        )
        return self._connection.execute(statement).all()

    def _wishes(self, agent_ids: Sequence[UUID], since: datetime, until: datetime) -> Sequence[Any]:
        """Visitors who asked for a person, by the button, before any question: few enough not to be packed."""
        statement = (
            select(
                utc_moment(self._dialect, LIVE_CHATS.c.handed_over_at),
                *(_place(OUTCOMES, "handed_over"), literal_column("0"), _place(RATINGS, None)),
                *(literal_column(str(UNTIMED)), literal_column("''"), literal_column("''")),
                *self._texts(LIVE_CHATS.c.agent_id, LIVE_CHATS.c.conversation_id, CONVERSATIONS.c.visitor_id),
            )
            .join(CONVERSATIONS, CONVERSATIONS.c.id == LIVE_CHATS.c.conversation_id)
            .where(
                LIVE_CHATS.c.agent_id.in_(agent_ids),
                LIVE_CHATS.c.handed_over_at >= since,
                LIVE_CHATS.c.handed_over_at < until,
                LIVE_CHATS.c.handed_over_turn_id.is_(None),
            )
        )
        return self._connection.execute(statement).all()

    def _texts(self, *ids: Column[UUID]) -> list[ColumnElement[str]]:
        """Ids as text, because creating UUIDs would cost more than everything else."""
        return [func.hex(each) if self._dialect == "sqlite" else cast(each, Text) for each in ids]


class _Gathered:
    """Collects questions from packed days and from rows, with common lists of languages and pages."""

    def __init__(self, agent_ids: Sequence[UUID]) -> None:
        self._agents = {agent_id: place for place, agent_id in enumerate(agent_ids)}
        self._languages: dict[str, int] = {}
        self._pages: dict[str, int] = {}
        self._turns: list[Rows] = []
        self._places: list[Places] = [np.empty(0, np.intp)]

    def add(self, rows: Sequence[Any]) -> None:
        """Add turns that are not packed."""
        if not rows:
            return
        at, outcome, is_curated, rating, first_word, languages, pages, agents, conversation, visitor = zip(
            *rows, strict=True
        )
        turns = np.empty(len(rows), TURN)
        turns["at"] = np.array(at, "datetime64[us]").astype(np.int64)
        turns["outcome"], turns["is_curated"], turns["rating"] = outcome, is_curated, rating
        turns["first_word"] = first_word
        turns["language"] = _places_in(self._languages, languages)
        plain = {url: url.partition("?")[0].partition("#")[0] for url in set(pages)}
        turns["page"] = _places_in(self._pages, [plain[url] for url in pages])
        turns["conversation"], turns["visitor"] = _random_halves(conversation), _random_halves(visitor)
        self._turns.append(turns)
        places = {text: self._agents[UUID(text)] for text in set(agents)}
        self._places.append(np.array([places[text] for text in agents], np.intp))

    def unpack(self, agent_id: UUID, content: bytes) -> None:
        begin = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
        languages, pages = json.loads(content[_LENGTH:begin])
        turns = np.frombuffer(content, TURN, offset=begin).copy()
        turns["language"] = _places_in(self._languages, languages)[turns["language"]]
        turns["page"] = _places_in(self._pages, pages)[turns["page"]]
        self._turns.append(turns)
        self._places.append(np.full(len(turns), self._agents[agent_id], np.intp))

    def arrays(self) -> TurnArrays:
        # `np.concatenate` would check the fields of each array.
        turns = np.frombuffer(b"".join(each.tobytes() for each in self._turns), TURN)
        return TurnArrays(turns, np.concatenate(self._places), list(self._languages), list(self._pages))


def _places_in(known: dict[str, int], names: Sequence[str]) -> Places:
    """The index of each name in `known`, to which new names are added."""
    return np.array([known.setdefault(name, len(known)) for name in names], np.intp)


def _random_halves(ids: Sequence[str]) -> Places:
    halves: Places = np.frombuffer(bytes.fromhex("".join(ids).replace("-", "")), ">u8")[1::2]
    return halves
