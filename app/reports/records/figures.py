"""What turns, thumbs and usage say of some days. All is counted by the database, over what its indexes hold."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Column, ColumnElement, and_, func, literal_column, select

from app.core.turn import AnsweredBy, TokenUsage
from app.quality.quality import TurnCounts
from app.quality.records.quality import IS_ANSWERED, OUTCOMES, THUMBS, asked, counted
from app.reports.report import Asked, ChatThumbs, Part, Spent, together
from app.reports.report_days import ReportDays
from app.store.tables.conversations import CONVERSATIONS
from app.store.tables.people import LIVE_CHATS
from app.store.tables.turns import FEEDBACK, TURNS, USAGE
from app.store.transaction import Repository

PAGES_OF_TURNS: Final = 10_000  # the latest
_CLOCKS_APART: Final = timedelta(days=1)  # of the processes that stored a turn and its thumb
_HOUR: Final = "%Y-%m-%d %H"


class ReportRecords(Repository):
    """The caller has checked the workspace of the agents."""

    def by_hour(self, agent_ids: Sequence[UUID], days: ReportDays) -> list[Asked]:
        """Of each agent each hour in which it was asked; by when questions were asked, thumbs as well."""
        found: list[Asked] = []
        of_agents = TURNS.c.agent_id.in_(agent_ids)
        by_curated = func.count().filter(IS_ANSWERED, TURNS.c.answered_by == AnsweredBy.CURATED.value)
        for hour, (since, until) in self._hours(TURNS.c.created_at, days):
            parts = TURNS.c.agent_id, hour
            outcomes = select(*parts, by_curated, *OUTCOMES).where(of_agents, asked(since, until)).group_by(*parts)
            for agent_id, name, curated, *counts in self._connection.execute(outcomes):
                found.append(Asked(agent_id, datetime.fromisoformat(name), counted(*counts), curated))
            thumbs = (
                select(*parts, *THUMBS)
                .select_from(FEEDBACK)
                .join(TURNS, TURNS.c.id == FEEDBACK.c.turn_id)
                .where(self._rated(agent_ids, since), asked(since, until))
                .group_by(*parts)
            )
            for agent_id, name, up, down in self._connection.execute(thumbs):
                rated = TurnCounts(thumbs_up=up, thumbs_down=down)
                found.append(Asked(agent_id, datetime.fromisoformat(name), rated))
        return found

    def reach(self, agent_ids: Sequence[UUID], days: ReportDays) -> tuple[int, int]:
        """Conversations, and visitors, with a question."""
        talked = select(TURNS.c.conversation_id).where(self._during(agent_ids, days)).distinct().subquery()
        statement = (
            select(func.count(), func.count(CONVERSATIONS.c.visitor_id.distinct()))
            .select_from(talked)
            .join(CONVERSATIONS, CONVERSATIONS.c.id == talked.c.conversation_id)
        )
        found = self._connection.execute(statement).one()
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

    def languages(self, agent_ids: Sequence[UUID], days: ReportDays, limit: int) -> list[Part]:
        language = func.coalesce(TURNS.c.language, literal_column("''"))
        statement = (
            select(language, *OUTCOMES)
            .where(self._during(agent_ids, days))
            .group_by(language)
            .order_by(func.count().desc(), language)
            .limit(limit)
        )
        rated = (
            select(language, *THUMBS)
            .select_from(FEEDBACK)
            .join(TURNS, TURNS.c.id == FEEDBACK.c.turn_id)
            .where(self._rated(agent_ids, days.since), asked(days.since, days.until))
            .group_by(language)
        )
        thumbs: dict[str, Sequence[int]] = {key: found for key, *found in self._connection.execute(rated)}
        found = self._connection.execute(statement)
        return [Part(key, counted(*counts, *thumbs.get(key, ()))) for key, *counts in found]

    def pages(self, agent_ids: Sequence[UUID], days: ReportDays, limit: int) -> list[Part]:
        """On which the latest PAGES_OF_TURNS questions were asked."""
        latest = (
            select(TURNS.c.id)
            .where(self._during(agent_ids, days))
            .order_by(TURNS.c.created_at.desc())
            .limit(PAGES_OF_TURNS)
        )
        page = self._plain(TURNS.c.page_url)
        statement = (
            select(page, *OUTCOMES, *THUMBS)
            .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
            .where(TURNS.c.id.in_(latest))
            .group_by(page)
            .order_by(func.count().desc(), page)
            .limit(limit)
        )
        return [Part(key, counted(*counts)) for key, *counts in self._connection.execute(statement)]

    def spent(self, agent_ids: Sequence[UUID], days: ReportDays) -> dict[datetime, Spent]:
        """By the hour in which it was charged, as `by_hour` names it, without prices."""
        sums = [
            func.sum(column) for column in (USAGE.c.prompt_tokens, USAGE.c.completion_tokens, USAGE.c.cached_tokens)
        ]
        found: dict[datetime, Spent] = {}
        for hour, (since, until) in self._hours(USAGE.c.created_at, days):
            statement = (
                select(hour, func.count(), *sums)
                .where(
                    USAGE.c.agent_id.in_(agent_ids),
                    USAGE.c.created_at >= since,
                    USAGE.c.created_at < until,
                    USAGE.c.model != "",
                )
                .group_by(hour)
            )
            for name, calls, *sums_of_hour in self._connection.execute(statement):
                read, written, cached = map(int, sums_of_hour)
                spent = Spent(calls, TokenUsage(read, written, cached_tokens=cached))
                at = datetime.fromisoformat(name)
                found[at] = together((found[at], spent)) if at in found else spent  # clocks were put back
        return found

    def _during(self, agent_ids: Sequence[UUID], days: ReportDays) -> ColumnElement[bool]:
        return and_(TURNS.c.agent_id.in_(agent_ids), asked(days.since, days.until))

    def _rated(self, agent_ids: Sequence[UUID], since: datetime) -> ColumnElement[bool]:
        """All thumbs that questions from then on can have."""
        return and_(FEEDBACK.c.agent_id.in_(agent_ids), FEEDBACK.c.created_at >= since - _CLOCKS_APART)

    def _hours(
        self, moment: Column[datetime], days: ReportDays
    ) -> Iterator[tuple[ColumnElement[str], tuple[datetime, datetime]]]:
        """For each stretch of the days the hour of a moment in it, as text, and from when until when it goes."""
        for stretch in days.stretches:
            yield self._hour(moment, stretch.offset), (stretch.since, stretch.until)

    def _hour(self, moment: Column[datetime], offset: timedelta) -> ColumnElement[str]:
        # Written out: Postgres takes an expression with parameters in it for another one in GROUP BY.
        seconds = f"'{int(offset.total_seconds()):+d} seconds'"
        if self._dialect == "sqlite":
            return func.strftime(literal_column(f"'{_HOUR}'"), moment, literal_column(seconds))
        shifted: ColumnElement[Any] = func.timezone(literal_column("'UTC'"), moment) + literal_column(
            f"interval {seconds}"
        )
        return func.to_char(shifted, literal_column("'YYYY-MM-DD HH24'"))

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
