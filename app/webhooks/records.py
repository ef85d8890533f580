"""Webhooks of agents, and their deliveries."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import LargeBinary, Row, String, UniqueConstraint, delete, select

from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.webhook_event import News, WebhookEvent, event_of
from app.feature import NewsTaker
from app.gaps.gap_digest import WEEKLY, gap_ids_in
from app.gaps.records.gaps import GapRecords
from app.store.delivery_loop import Deliveries, delivery_columns
from app.store.outbox import Outbox
from app.store.schema import Audited, OfVisitors, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import OUTBOX
from app.store.transaction import Keyset, Repository, value_of
from app.webhooks.webhook import DeadLetter, Delivery, Webhook
from app.workspaces.records.tokens import TokenRecords

# The secret is derived from a signing key and `salt` whenever it is needed.
WEBHOOKS = table(
    "webhooks",
    Audited("webhook", lambda row: str(row.url)),
    own_id(),
    parent("agent_id", "agents", index=True),
    column("url", StorableText),
    column("events", StorableJson),
    column("kid", String(32)),
    column("salt", LargeBinary),
    column("created_at", UtcDateTime),
)

# The delivery of one outbox row to one webhook, deleted once it has succeeded.
WEBHOOK_DELIVERIES = table(
    "webhook_deliveries",
    Audited("webhook"),
    OfVisitors(),
    own_id(),
    parent("webhook_id", "webhooks"),
    parent("outbox_id", "outbox", index=True),
    *delivery_columns("webhook_deliveries"),
    UniqueConstraint("webhook_id", "outbox_id"),
)

_LATEST_DEAD_FIRST = Keyset(WEBHOOK_DELIVERIES.c.died_at, WEBHOOK_DELIVERIES.c.id, descending=True)


class WebhookRecords(Repository):
    @property
    def deliveries(self) -> Deliveries:
        return Deliveries(self._tx, WEBHOOK_DELIVERIES)

    def add(self, webhook: Webhook) -> None:
        self._add(WEBHOOKS, webhook)

    def webhooks(self, agent_id: UUID) -> list[Webhook]:
        statement = select(WEBHOOKS).where(WEBHOOKS.c.agent_id == agent_id)
        return self._values(Webhook, statement.order_by(WEBHOOKS.c.created_at, WEBHOOKS.c.id))

    def remove(self, agent_id: UUID, webhook_id: UUID) -> None:
        """Delete the webhook with its pending deliveries. Raises NotFound."""
        self._delete_one(WEBHOOKS, "webhook", WEBHOOKS.c.id == webhook_id, WEBHOOKS.c.agent_id == agent_id)

    def owed(
        self, event: WebhookEvent, until: datetime, first_day: date, takers: Sequence[NewsTaker] = ()
    ) -> list[UUID]:
        """The agents of `wanting` that have no such event yet for the period from `first_day`."""
        wanting = self.wanting((event,), until, takers)
        sent = select(OUTBOX.c.agent_id).where(OUTBOX.c.kind == event.value, OUTBOX.c.week == first_day)
        have_one = set(self._connection.scalars(sent.where(OUTBOX.c.agent_id.in_(wanting))))
        return [agent_id for agent_id in wanting if agent_id not in have_one]

    def wanting(self, wanted: Sequence[WebhookEvent], until: datetime, takers: Sequence[NewsTaker] = ()) -> list[UUID]:
        """Agents for which a webhook or one of the `takers` has subscribed to any of the `wanted` events by `until`."""
        statement = select(WEBHOOKS.c.agent_id, WEBHOOKS.c.events).where(WEBHOOKS.c.created_at <= until)
        rows = self._connection.execute(statement.order_by(WEBHOOKS.c.created_at, WEBHOOKS.c.id)).all()
        found: list[UUID] = []
        for event in wanted:
            found += [agent_id for agent_id, events in rows if event in events]
            found += [agent_id for taker in takers for agent_id in taker.wanting(self._tx, event, until)]
        return list(dict.fromkeys(found))

    def has_work(self) -> bool:
        """Whether the outbox has unhandled rows, or a delivery is due."""
        news = select(OUTBOX.c.id).where(OUTBOX.c.delivered_at.is_(None)).limit(1)
        return self._connection.scalar(news) is not None or self.deliveries.is_any_due()

    def hand_out(self, limit: int) -> list[News]:
        """Take at most `limit` unhandled outbox rows, oldest first, and create a delivery for each subscribed webhook
        that existed at the time of the event. Sets the rows' `delivered_at` and returns them; the caller drops those
        that nobody takes."""
        oldest = (
            select(OUTBOX)
            .where(OUTBOX.c.delivered_at.is_(None))
            .order_by(OUTBOX.c.created_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        rows = self._connection.execute(oldest)
        news = [News(row.id, row.agent_id, row.kind, row.payload, row.created_at) for row in rows]
        agents = {each.agent_id for each in news}
        webhooks = self._connection.execute(select(WEBHOOKS).where(WEBHOOKS.c.agent_id.in_(agents))).all()
        self.deliveries.owe(
            [
                {"webhook_id": webhook.id, "outbox_id": each.id}
                for each in news
                for webhook in webhooks
                if webhook.agent_id == each.agent_id and each.is_wanted(webhook.events, webhook.created_at)
            ]
        )
        self._update(OUTBOX, OUTBOX.c.id.in_([each.id for each in news]), delivered_at=self._now())
        return news

    def delivered(self, delivery_id: UUID) -> None:
        """Remove the delivery, and the outbox row with the last delivery that refers to it."""
        gone = delete(WEBHOOK_DELIVERIES).where(WEBHOOK_DELIVERIES.c.id == delivery_id)
        Outbox(self._tx).drop(self._connection.scalars(gone.returning(WEBHOOK_DELIVERIES.c.outbox_id)).all())

    def claim(self, limit: int, lease_until: datetime) -> list[Delivery]:
        due = self.deliveries.claim(limit, lease_until)
        statement = (
            select(
                WEBHOOKS,
                WEBHOOK_DELIVERIES.c.id.label("delivery_id"),
                WEBHOOK_DELIVERIES.c.attempts,
                AGENTS.c.workspace_id,
                OUTBOX.c.kind,
                OUTBOX.c.payload,
                OUTBOX.c.created_at.label("occurred_at"),
            )
            .select_from(WEBHOOK_DELIVERIES)
            .join(WEBHOOKS, WEBHOOKS.c.id == WEBHOOK_DELIVERIES.c.webhook_id)
            .join(AGENTS, AGENTS.c.id == WEBHOOKS.c.agent_id)
            .join(OUTBOX, OUTBOX.c.id == WEBHOOK_DELIVERIES.c.outbox_id)
            .where(WEBHOOK_DELIVERIES.c.id.in_(due))
        )
        claimed = self._connection.execute(statement).all()
        # Read at sending time, so that nothing erased meanwhile is sent.
        named = set().union(*(gap_ids_in(row.payload) for row in claimed if row.kind == WEEKLY))
        questions = GapRecords(self._tx).questions(named)
        keys = {key.kid: key.secret for key in TokenRecords(self._tx).signing_keys()}
        return [
            Delivery(
                row.delivery_id,
                row.workspace_id,
                row.attempts,
                value_of(Webhook, row),
                keys.get(row.kid),
                row.kind,
                row.payload,
                row.occurred_at,
                questions,
            )
            for row in claimed
        ]

    def dead_letters(self, agent_id: UUID, page: PageRequest) -> ListPage[DeadLetter]:
        statement = (
            select(
                WEBHOOK_DELIVERIES,
                OUTBOX.c.kind,
                OUTBOX.c.turn_id,
                OUTBOX.c.payload,
                OUTBOX.c.created_at.label("occurred_at"),
            )
            .join(WEBHOOKS, WEBHOOKS.c.id == WEBHOOK_DELIVERIES.c.webhook_id)
            .join(OUTBOX, OUTBOX.c.id == WEBHOOK_DELIVERIES.c.outbox_id)
            .where(WEBHOOKS.c.agent_id == agent_id, WEBHOOK_DELIVERIES.c.died_at.is_not(None))
        )
        return _LATEST_DEAD_FIRST.page(self._connection, statement, page, _dead_letter)

    def revive(self, agent_id: UUID, delivery_id: UUID) -> None:
        """Make a dead letter due now, with as many attempts as a new delivery. Raises NotFound."""
        of_agent = select(WEBHOOKS.c.id).where(WEBHOOKS.c.agent_id == agent_id)
        if not self.deliveries.revive(delivery_id, WEBHOOK_DELIVERIES.c.webhook_id.in_(of_agent)):
            raise NotFound("dead letter")


def _dead_letter(row: Row[Any]) -> DeadLetter:
    asked_in = row.payload.get("conversation_id")
    return value_of(DeadLetter, row, event=event_of(row.kind), conversation_id=UUID(asked_in) if asked_in else None)
