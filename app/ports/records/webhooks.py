"""Port: webhooks of agents, and what is on its way to them."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.gap_digest import GapDigest, Week
from app.domain.list_page import ListPage, PageRequest
from app.domain.webhook import DeadLetter, Delivery, Webhook


class WebhookRecords(Protocol):
    async def add(self, webhook: Webhook) -> None: ...

    async def of_agent(self, agent_id: UUID) -> list[Webhook]:
        """Oldest first."""
        ...

    async def remove(self, agent_id: UUID, webhook_id: UUID) -> None:
        """With all that is on its way to it. Raises NotFound."""
        ...

    async def owed_digests(self, week: Week) -> list[UUID]:
        """Agents with a webhook that wants digests and was there when the week ended, and without that week's."""
        ...

    async def announce_digest(self, agent_id: UUID, digest: GapDigest) -> bool:
        """Put it into the outbox, as of its week's end. False where that week's is there already."""
        ...

    async def has_work(self) -> bool:
        """Whether the outbox holds news, or a delivery is due."""
        ...

    async def hand_out(self, limit: int) -> int:
        """Make a delivery for each webhook that wants to hear of it, of at most `limit` of the oldest outbox rows that
        were not handed out; return how many rows. Webhooks do not hear of what was before them."""
        ...

    async def claim(self, limit: int, lease_until: datetime) -> list[Delivery]:
        """At most `limit` of the due deliveries, longest due first. Nobody else gets them before `lease_until`; who
        has not settled one by then has failed to, and it is due again."""
        ...

    async def delivered(self, delivery_id: UUID) -> None: ...

    async def failed(self, delivery: Delivery, error: str, next_at: datetime | None) -> None:
        """Due again at `next_at`; None makes it a dead letter. Nothing happens to what others have claimed since."""
        ...

    async def dead_letters(self, agent_id: UUID, page: PageRequest) -> ListPage[DeadLetter]:
        """Latest first."""
        ...

    async def revive(self, agent_id: UUID, delivery_id: UUID) -> None:
        """A dead letter is due now, with all of its attempts before it. Raises NotFound for what is none."""
        ...
