"""What turns, thumbs and usage say of some days. All is counted by the database, over what its indexes hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Column, ColumnElement, and_, func, literal_column, select

from app.core.turn import AnsweredBy, TokenUsage
from app.quality.quality import TurnCounts
from app.quality.records.moment_parts import hour_beside_utc
from app.quality.records.quality import FIRST_WORDS, IS_ANSWERED, OUTCOMES, asked, counted, milliseconds, rated_turns
from app.reports.report import Asked, ChatThumbs, Outcome, Part, Spent, together
from app.reports.report_days import ReportDays
from app.store.tables.conversations import TURNS, USAGE
from app.store.tables.people import LIVE_CHATS
from app.store.transaction import Repository

PAGES_OF_TURNS: Final = 10_000  # the latest
_HOUR: Final = timedelta(hours=1)
_OUTCOME: Final = (
    FIRST_WORDS,
    func.count().filter(IS_ANSWERED, TURNS.c.answered_by == AnsweredBy.CURATED.value),
    *OUTCOMES,
)


@dataclass(frozen=True, slots=True)
class _Hours:
    """From `since` and before `until` a moment's hour: what is read of it as `text`, and `whole` hours more."""

    text: ColumnElement[str]
    whole: timedelta
    since: datetime
    until: datetime

    def at(self, name: str) -> datetime:
        return datetime.fromisoformat(name) + self.whole


def _outcome(words: str | None, curated: int, *counts: int) -> Outcome:
    return Outcome(counted(*counts), curated, milliseconds(words))


class ReportRecords(Repository):
    """The caller has checked the workspace of the agents."""

    def by_hour(self, agent_ids: Sequence[UUID], days: ReportDays) -> list[Asked]:
        """Of each agent and language each hour in which it was asked, without thumbs."""
        found: list[Asked] = []
        for hours in self._hours(TURNS.c.created_at, days):
            parts = TURNS.c.agent_id, hours.text, TURNS.c.language
            inside = TURNS.c.agent_id.in_(agent_ids), asked(hours.since, hours.until)
            outcomes = select(*parts, *_OUTCOME).where(*inside).group_by(*parts)
            for agent_id, name, language, *figures in self._connection.execute(outcomes):
                found.append(Asked(agent_id, hours.at(name), language or "", _outcome(*figures)))
        return found

    def thumbs_by_hour(self, agent_ids: Sequence[UUID], days: ReportDays) -> list[Asked]:
        """The same of thumbs alone, by when the questions were asked. Each costs more than a question does."""
        found: list[Asked] = []
        for hours in self._hours(TURNS.c.created_at, days):
            parts = TURNS.c.agent_id, hours.text, TURNS.c.language
            inside = asked(hours.since, hours.until)
            thumbs = rated_turns(agent_ids, hours.since, *parts).where(inside).group_by(*parts)
            for agent_id, name, language, up, down in self._connection.execute(thumbs):
                rated = Outcome(TurnCounts(thumbs_up=up, thumbs_down=down))
                found.append(Asked(agent_id, hours.at(name), language or "", rated))
        return found

    def altogether(self, agent_ids: Sequence[UUID], days: ReportDays) -> Outcome:
        """What `by_hour` adds up to."""
        return _outcome(*self._connection.execute(select(*_OUTCOME).where(self._during(agent_ids, days))).one())

    def reach(self, agent_ids: Sequence[UUID], days: ReportDays) -> tuple[int, int]:
        """Conversations, and visitors, with a question."""
        each = (func.count(column.distinct()) for column in (TURNS.c.conversation_id, TURNS.c.visitor_id))
        found = self._connection.execute(select(*each).where(self._during(agent_ids, days))).one()
        return found[0], found[1]

    def chat_thumbs(self, agent_ids: Sequence[UUID], days: ReportDays) -> ChatThumbs:
        """Of live chats that were rated in these days."""
        statement = (
            select(LIVE_CHATS.c.rating, func.count())
            .where(
                LIVE_CHATS.c.agent_id.in_(agent_ids),
                LIVE_CHATS.c.rated_at >= days.since,
                LIVE_CHATS.c.rated_at < days.until,
            )
            .group_by(LIVE_CHATS.c.rating)
        )
        found = {row.rating: row[1] for row in self._connection.execute(statement)}
        return ChatThumbs(found.get("up", 0), found.get("down", 0))

    def pages(self, agent_ids: Sequence[UUID], days: ReportDays, limit: int) -> list[Part]:
        """On which the latest PAGES_OF_TURNS questions were asked, with all of the moment at which those begin."""
        during = self._during(agent_ids, days)
        latest = select(TURNS.c.created_at).where(during).order_by(TURNS.c.created_at.desc())
        since = self._connection.scalar(latest.offset(PAGES_OF_TURNS - 1).limit(1)) or days.since
        page = self._plain(TURNS.c.page_url)
        asked_there = (
            select(page, *OUTCOMES)
            .where(TURNS.c.agent_id.in_(agent_ids), asked(since, days.until))
            .group_by(page)
            .order_by(func.count().desc(), page)
            .limit(limit)
        )
        found = self._connection.execute(asked_there).all()
        rated = rated_turns(agent_ids, since, page).where(asked(since, days.until)).group_by(page)
        thumbs: dict[str, Sequence[int]] = {key: counts for key, *counts in self._connection.execute(rated)}
        return [Part(key, counted(*counts, *thumbs.get(key, ()))) for key, *counts in found]

    def spent(self, agent_ids: Sequence[UUID], days: ReportDays) -> dict[datetime, Spent]:
        """By the hour in which it was charged, as `by_hour` names it, without prices."""
        sums = [
            func.sum(column) for column in (USAGE.c.prompt_tokens, USAGE.c.completion_tokens, USAGE.c.cached_tokens)
        ]
        found: dict[datetime, Spent] = {}
        for hours in self._hours(USAGE.c.created_at, days):
            statement = (
                select(hours.text, func.count(), *sums)
                .where(
                    USAGE.c.agent_id.in_(agent_ids),
                    USAGE.c.created_at >= hours.since,
                    USAGE.c.created_at < hours.until,
                    USAGE.c.model != "",
                )
                .group_by(hours.text)
            )
            for name, calls, *sums_of_hour in self._connection.execute(statement):
                read, written, cached = map(int, sums_of_hour)
                spent = Spent(calls, TokenUsage(read, written, cached_tokens=cached))
                at = hours.at(name)
                found[at] = together((found[at], spent)) if at in found else spent  # clocks were put back
        return found

    def _during(self, agent_ids: Sequence[UUID], days: ReportDays) -> ColumnElement[bool]:
        return and_(TURNS.c.agent_id.in_(agent_ids), asked(days.since, days.until))

    def _hours(self, moment: Column[datetime], days: ReportDays) -> Iterator[_Hours]:
        """For each stretch of the days the hour of a moment in it."""
        for stretch in days.stretches:
            minutes = stretch.offset % _HOUR
            text = hour_beside_utc(self._dialect, moment, minutes)
            yield _Hours(text, stretch.offset - minutes, stretch.since, stretch.until)

    def _plain(self, url: Column[str]) -> ColumnElement[str]:
        """Without query and anchor."""
        one: ColumnElement[int] = literal_column("1")
        plain: ColumnElement[str] = url
        for written in ("'?'", "'#'"):
            sign: ColumnElement[str] = literal_column(written)
            if self._dialect == "sqlite":
                plain = func.substr(plain, one, func.instr(plain.op("||")(sign), sign) - one)
            else:
                plain = func.split_part(plain, sign, one)
        return plain
