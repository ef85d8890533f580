"""Who is given a conversation, or named after an @ in a note on one, hears of it."""

import re
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from app.conversations.conversation import Conversation
from app.core.actor import Actor
from app.core.webhook_event import WebhookEvent
from app.store.outbox import Outbox
from app.store.transaction import Transaction
from app.workspaces.assignees import addresses_of

# An address, or what stands before its own @; the @ of an address that is merely written begins none.
_MENTION: Final = re.compile(r"(?<![\w.+-])@([\w.+-]{1,64}(?:@[\w.-]{1,190})?)")


def tell_assigned(tx: Transaction, actor: Actor, agent_id: UUID, before: Sequence[Conversation], assignee: str) -> None:
    """Once for all that `assignee` is given now and did not have, which stand as they were; nothing of what people
    take themselves. One conversation is named, several are counted."""
    given = [each for each in before if each.assignee != assignee]
    if not given or assignee in ("", actor.address):
        return
    told: dict[str, Any] = {"assignee": assignee, "count": len(given)}
    only = given[0].id if len(given) == 1 else None
    if only is not None:
        told["conversation_id"] = str(only)
    outbox = Outbox(tx)
    outbox.tell(agent_id, WebhookEvent.CONVERSATION_ASSIGNED.value, told, conversation_id=only)


def mentioned(text: str, addresses: Sequence[str]) -> tuple[str, ...]:
    """Those of `addresses` that `text` names, in its order, each once: by the whole address, or by what stands before
    its @ where no other begins so."""
    named: dict[str, None] = {}
    for found in _MENTION.finditer(text):
        name = found[1].lower().rstrip(".-")
        fitting = [each for each in addresses if name in (each, each.partition("@")[0])]
        if len(fitting) == 1:
            named[fitting[0]] = None
    return tuple(named)


def tell_mentioned(tx: Transaction, actor: Actor, conversation: Conversation, text: str) -> None:
    """Each by an event of their own, without a word of the note; nobody of what they wrote themselves."""
    outbox = Outbox(tx)
    for address in mentioned(text, addresses_of(tx, actor)):
        if address != actor.address:
            told = {"mentioned": address, "by": actor.name, "conversation_id": str(conversation.id)}
            event = WebhookEvent.OPERATOR_MENTIONED.value
            outbox.tell(conversation.agent_id, event, told, conversation_id=conversation.id)
