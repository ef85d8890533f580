"""What could not be handed to somebody else's server, for tests that need some."""

from uuid import UUID, uuid4

from app.core.list_page import PageRequest
from app.core.webhook_event import WebhookEvent
from app.store.outbox import Outbox
from app.webhooks.records import WebhookRecords
from app.webhooks.tickets.desk_settings import HANDED_OVER, DeskFields, DeskKind
from app.webhooks.tickets.help_desks import HelpDesks
from app.webhooks.tickets.records import TicketRecords
from app.webhooks.webhooks import Webhooks
from tests.web.ended_turn import store_turn
from tests.web.house import House


async def dead_letters(house: House, count: int, error: str) -> tuple[UUID, list[UUID]]:
    """Of as many turns' gaps; return the webhook's id and theirs."""
    webhooks, actor, agent_id = house.parts.get(Webhooks), house.actor, house.agent.id
    webhook, _ = await webhooks.create(actor, agent_id, "https://hooks.example.com/", [WebhookEvent.GAP_DETECTED])
    for _ in range(count):
        other = await house.visitor()
        turn_id = uuid4()
        await other.ask(turn_id)
        await store_turn(house, house.turns.asked[-1][0], turn_id)
    with house.record.writing() as tx:
        WebhookRecords(tx).hand_out(100)
        claimed = WebhookRecords(tx).claim(100, house.clock.now())
        own = [each for each in claimed if each.webhook.id == webhook.id]  # another tenant's may wait as well
        for delivery in own[:count]:  # on a clock that stands still, what was before it is news to it too
            WebhookRecords(tx).deliveries.failed(delivery.id, delivery.attempts, error, None)
    return webhook.id, [delivery.id for delivery in own[:count]]


async def a_dead_ticket(house: House, conversation_id: UUID) -> UUID:
    """Of the house's agent, whose help desk did not take it."""
    desk = DeskFields(DeskKind.ZENDESK, "shop.zendesk.com", "ann@example.com", "", HANDED_OVER)
    await house.parts.get(HelpDesks).set(house.actor, house.agent.id, desk, "token")
    with house.record.writing() as tx:
        Outbox(tx).add(house.agent.id, "lead.left", {"conversation_id": str(conversation_id)})
        own = [each for each in WebhookRecords(tx).hand_out(100) if each.kind == "lead.left"]
        TicketRecords(tx).put(own[-1:])
        for due in TicketRecords(tx).claim(100, house.clock.now()):
            TicketRecords(tx).deliveries.failed(due.id, due.attempts, "the help desk answered 422", None)
        [ticket] = TicketRecords(tx).page(house.agent.id, PageRequest()).items
    return ticket.id
