"""Who is given a conversation hears of it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from app.conversations.conversation import Conversation
from app.core.actor import Actor
from app.core.webhook_event import WebhookEvent
from app.store.outbox import Outbox
from app.store.transaction import Transaction


def tell_assigned(tx: Transaction, actor: Actor, agent_id: UUID, before: Sequence[Conversation], assignee: str) -> None:
    """Once for all that `assignee` is given now and did not have, which stand as they were; nothing of what people
    take themselves. One conversation is named, several are counted."""
    given = [each for each in before if each.assignee != assignee]
    if not given or assignee in ("", actor.name):
        return
    told: dict[str, Any] = {"assignee": assignee, "count": len(given)}
    only = given[0].id if len(given) == 1 else None
    if only is not None:
        told["conversation_id"] = str(only)
    outbox = Outbox(tx)
    outbox.tell(agent_id, WebhookEvent.CONVERSATION_ASSIGNED.value, told, conversation_id=only)
