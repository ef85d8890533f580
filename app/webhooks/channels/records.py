"""Channels of a team's chat, and the notices queued for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Boolean, Row, String, UniqueConstraint, func, select

from app.agents.records import AgentRecords
from app.core.webhook_event import News, WebhookEvent
from app.gaps.gap_digest import WEEKLY
from app.gaps.records.gaps import GapRecords
from app.store.delivery_loop import Deliveries, DeliveryState, DueRow, delivery_columns
from app.store.outbox import Outbox
from app.store.schema import Audited, OfVisitors, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.sealed_rows import SealedRows, sealed_columns
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import OUTBOX
from app.store.transaction import Repository, value_of
from app.webhooks.channels.channel import NoticeChannel

# A channel of a team's chat. `sealed` is its webhook address, sealed with the key `sealed_by`.
NOTICE_CHANNELS = table(
    "notice_channels",
    Audited("notice_channel", lambda row: str(row.name)),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("kind", String(16)),
    column("name", StorableText),
    column("events", StorableJson),
    column("is_quoting", Boolean),
    *sealed_columns(),
    column("created_at", UtcDateTime),
)

# The delivery of one outbox row to one channel, deleted once it was posted.
NOTICE_POSTS = table(
    "notice_posts",
    OfVisitors(),
    own_id(),
    parent("channel_id", "notice_channels"),
    parent("outbox_id", "outbox", index=True),
    *delivery_columns("notice_posts"),
    UniqueConstraint("channel_id", "outbox_id"),
)


@dataclass(frozen=True, slots=True)
class WaitingPost(DueRow):
    """A notice for `channel`. `url` is None if it cannot be unsealed. `agent` is the name of the event's agent.
    `questions` has those of its gaps that still exist; empty if the channel does not quote."""

    channel: NoticeChannel
    url: str | None
    news: News
    agent: str
    questions: Sequence[str]


class NoticeChannelRecords(Repository):
    def add(self, channel: NoticeChannel, url: str) -> None:
        self._add(NOTICE_CHANNELS, channel, **SealedRows(self._tx, NOTICE_CHANNELS).sealed(channel.id, url.encode()))

    def of_workspace(self, workspace_id: UUID) -> list[NoticeChannel]:
        statement = select(NOTICE_CHANNELS).where(NOTICE_CHANNELS.c.workspace_id == workspace_id)
        return self._values(NoticeChannel, statement.order_by(NOTICE_CHANNELS.c.created_at, NOTICE_CHANNELS.c.id))

    def channel(self, workspace_id: UUID, channel_id: UUID) -> tuple[NoticeChannel, str]:
        """The channel with its webhook address. Raises NotFound and SecretsLocked."""
        mine = (NOTICE_CHANNELS.c.id == channel_id, NOTICE_CHANNELS.c.workspace_id == workspace_id)
        row = self._first_row(select(NOTICE_CHANNELS).where(*mine), "channel")
        return value_of(NoticeChannel, row), SealedRows(self._tx, NOTICE_CHANNELS).opened(row).decode()

    def remove(self, workspace_id: UUID, channel_id: UUID) -> None:
        """Delete the channel with its pending notices. Raises NotFound."""
        is_it = NOTICE_CHANNELS.c.id == channel_id
        self._delete_one(NOTICE_CHANNELS, "channel", is_it & (NOTICE_CHANNELS.c.workspace_id == workspace_id))

    def states(self, workspace_id: UUID) -> dict[UUID, DeliveryState]:
        """The states of channels with pending or given-up notices."""
        of_workspace = select(NOTICE_CHANNELS.c.id).where(NOTICE_CHANNELS.c.workspace_id == workspace_id)
        given_up = func.count(NOTICE_POSTS.c.died_at)
        counts = (
            select(NOTICE_POSTS.c.channel_id, func.count() - given_up, given_up)
            .where(NOTICE_POSTS.c.channel_id.in_(of_workspace))
            .group_by(NOTICE_POSTS.c.channel_id)
        )
        failed = (
            select(NOTICE_POSTS.c.channel_id, NOTICE_POSTS.c.last_error)
            .where(NOTICE_POSTS.c.channel_id.in_(of_workspace), NOTICE_POSTS.c.last_error != "")
            .order_by(NOTICE_POSTS.c.id)
        )
        errors = {row.channel_id: row.last_error for row in self._connection.execute(failed)}
        return {
            channel_id: DeliveryState(waiting, dead, errors.get(channel_id, ""))
            for channel_id, waiting, dead in self._connection.execute(counts)
        }

    def wanting(self, event: WebhookEvent, until: datetime) -> list[UUID]:
        """Agents with a channel that has subscribed to `event` at `until` or before, oldest first."""
        statement = (
            select(AGENTS.c.id, NOTICE_CHANNELS.c.events)
            .join(NOTICE_CHANNELS, NOTICE_CHANNELS.c.workspace_id == AGENTS.c.workspace_id)
            .where(NOTICE_CHANNELS.c.created_at <= until)
            .order_by(AGENTS.c.id)
        )
        found = self._connection.execute(statement)
        return list(dict.fromkeys([agent_id for agent_id, events in found if event in events]))


class NoticePostRecords(Repository):
    @property
    def deliveries(self) -> Deliveries:
        return Deliveries(self._tx, NOTICE_POSTS)

    def put(self, news: Sequence[News]) -> None:
        """Queue a notice for each channel that subscribed before the event."""
        agents = {each.agent_id for each in news}
        statement = (
            select(AGENTS.c.id.label("agent_id"), NOTICE_CHANNELS)
            .join(NOTICE_CHANNELS, NOTICE_CHANNELS.c.workspace_id == AGENTS.c.workspace_id)
            .where(AGENTS.c.id.in_(agents))
        )
        channels = self._connection.execute(statement).all()
        self.deliveries.owe(
            [
                {"channel_id": row.id, "outbox_id": each.id}
                for each in news
                for row in channels
                if row.agent_id == each.agent_id and each.is_wanted(row.events, row.created_at)
            ]
        )

    def claim(self, limit: int, lease_until: datetime) -> list[WaitingPost]:
        due = self.deliveries.claim(limit, lease_until)
        statement = (
            select(
                NOTICE_CHANNELS,
                NOTICE_POSTS.c.id.label("post_id"),
                NOTICE_POSTS.c.attempts,
                OUTBOX.c.id.label("outbox_id"),
                OUTBOX.c.agent_id,
                OUTBOX.c.kind.label("outbox_kind"),
                OUTBOX.c.payload,
                OUTBOX.c.created_at.label("happened_at"),
            )
            .select_from(NOTICE_POSTS)
            .join(NOTICE_CHANNELS, NOTICE_CHANNELS.c.id == NOTICE_POSTS.c.channel_id)
            .join(OUTBOX, OUTBOX.c.id == NOTICE_POSTS.c.outbox_id)
            .where(NOTICE_POSTS.c.id.in_(due))
        )
        return [self._waiting(row) for row in self._connection.execute(statement).all()]

    def posted(self, post: WaitingPost) -> None:
        """Remove the notice, and the outbox row with the last notice that refers to it."""
        self._delete(NOTICE_POSTS, NOTICE_POSTS.c.id == post.id)
        Outbox(self._tx).drop([post.news.id])

    def _waiting(self, row: Row[Any]) -> WaitingPost:
        news = News(row.outbox_id, row.agent_id, row.outbox_kind, row.payload, row.happened_at)
        questions = self._questions(news) if row.is_quoting else []
        sealed = SealedRows(self._tx, NOTICE_CHANNELS).opened_or_none(row)
        return WaitingPost(
            row.post_id,
            row.workspace_id,
            row.attempts,
            value_of(NoticeChannel, row),
            None if sealed is None else sealed.decode(),
            news,
            AgentRecords(self._tx).agent(row.workspace_id, row.agent_id).draft.name,
            questions,
        )

    def _questions(self, news: News) -> list[str]:
        """The questions of the event's gaps, read when sending, so that erased ones are not sent."""
        gaps = news.payload["biggest"] if news.kind == WEEKLY else [news.payload]
        named = [UUID(gap["gap_id"]) for gap in gaps if "gap_id" in gap]
        questions = GapRecords(self._tx).questions(named)
        return [questions[gap_id] for gap_id in named if gap_id in questions]
