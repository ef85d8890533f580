"""Operators' subscriptions to notices."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from app.core.webhook_event import WebhookEvent
from app.store.schema import StorableJson, UtcDateTime, column, parent, table
from app.store.tables.agents import AGENTS, OPERATORS
from app.store.transaction import Repository

# The events of which an operator wants mails, and since when.
OPERATOR_NOTICES = table(
    "operator_notices",
    parent("operator_id", "operators", primary_key=True),
    column("events", StorableJson),
    column("chosen_at", UtcDateTime),
)


@dataclass(frozen=True, slots=True)
class Reader:
    """An operator of `workspace_id` who has subscribed to `events` since `chosen_at`."""

    workspace_id: UUID
    email: str
    events: frozenset[WebhookEvent]
    chosen_at: datetime


class NoticeRecords(Repository):
    def chosen(self, operator_id: UUID) -> tuple[WebhookEvent, ...]:
        events = select(OPERATOR_NOTICES.c.events).where(OPERATOR_NOTICES.c.operator_id == operator_id)
        return tuple(map(WebhookEvent, self._connection.scalar(events) or ()))

    def choose(self, operator_id: UUID, events: Sequence[WebhookEvent]) -> None:
        self._put(OPERATOR_NOTICES, {"operator_id": operator_id}, events=list(events), chosen_at=self._now())

    def readers(self, agent_ids: Collection[UUID]) -> Mapping[UUID, Sequence[Reader]]:
        """The operators with any subscription, by agent and sorted by address."""
        statement = (
            select(AGENTS.c.id, AGENTS.c.workspace_id, OPERATORS.c.email, OPERATOR_NOTICES)
            .select_from(AGENTS)
            .join(OPERATORS, OPERATORS.c.workspace_id == AGENTS.c.workspace_id)
            .join(OPERATOR_NOTICES, OPERATOR_NOTICES.c.operator_id == OPERATORS.c.id)
            .where(AGENTS.c.id.in_(agent_ids), OPERATORS.c.disabled_at.is_(None))
            .order_by(OPERATORS.c.email)
        )
        found: dict[UUID, list[Reader]] = defaultdict(list)
        for row in self._connection.execute(statement):
            events = frozenset(map(WebhookEvent, row.events))
            found[row.id].append(Reader(row.workspace_id, row.email, events, row.chosen_at))
        return found

    def readers_of(self, event: WebhookEvent, until: datetime) -> list[UUID]:
        """Agents with an operator who has subscribed to `event` by `until`, oldest first."""
        statement = (
            select(AGENTS.c.id, OPERATOR_NOTICES.c.events)
            .select_from(AGENTS)
            .join(OPERATORS, OPERATORS.c.workspace_id == AGENTS.c.workspace_id)
            .join(OPERATOR_NOTICES, OPERATOR_NOTICES.c.operator_id == OPERATORS.c.id)
            .where(OPERATOR_NOTICES.c.chosen_at <= until, OPERATORS.c.disabled_at.is_(None))
            .order_by(AGENTS.c.id)
        )
        rows = self._connection.execute(statement)
        return list(dict.fromkeys([agent_id for agent_id, events in rows if event in events]))
