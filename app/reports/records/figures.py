"""Figures of live chats and usage, counted by the database."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import func, select

from app.conversations.records.moment_parts import hour_beside_utc
from app.conversations.records.stored_turns import cost_of_rows
from app.core.costs import TokenPrices
from app.core.turn import TokenUsage
from app.reports.report import ChatThumbs, Spent, together
from app.reports.report_days import ReportDays
from app.store.tables.conversations import LIVE_CHATS, USAGE
from app.store.transaction import Repository

_HOUR: Final = timedelta(hours=1)


class ReportRecords(Repository):
    """The caller has checked the workspace of the agents."""

    def chat_thumbs(self, agent_ids: Sequence[UUID], days: ReportDays) -> ChatThumbs:
        """Ratings of live chats in these days."""
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

    def spent(self, agent_ids: Sequence[UUID], days: ReportDays, prices: TokenPrices) -> dict[datetime, Spent]:
        """Usage by the hour in which it was charged; keys are the beginnings of hours in the report's time zone."""
        sums = [
            func.sum(column) for column in (USAGE.c.prompt_tokens, USAGE.c.completion_tokens, USAGE.c.cached_tokens)
        ]
        found: dict[datetime, Spent] = {}
        for stretch in days.stretches:
            minutes = stretch.offset % _HOUR
            text = hour_beside_utc(self._dialect, USAGE.c.created_at, minutes)
            statement = (
                select(text, func.count(), cost_of_rows(prices), *sums)
                .where(
                    USAGE.c.agent_id.in_(agent_ids),
                    USAGE.c.created_at >= stretch.since,
                    USAGE.c.created_at < stretch.until,
                    USAGE.c.model != "",
                )
                .group_by(text)
            )
            for name, calls, cost, *sums_of_hour in self._connection.execute(statement):
                read, written, cached = map(int, sums_of_hour)
                spent = Spent(calls, TokenUsage(read, written, cached_tokens=cached), cost)
                at = datetime.fromisoformat(name) + stretch.offset - minutes
                # An hour occurs twice when clocks are put back.
                found[at] = together((found[at], spent)) if at in found else spent
        return found
