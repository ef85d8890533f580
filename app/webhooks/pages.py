"""The console's page for webhooks: an agent's addresses, and failed deliveries."""

from typing import Final

from app.core.webhook_event import WebhookEvent, declared_events, urgent_events
from app.web.console.page import Form, Go, ListWanted, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write
from app.webhooks.api import WebhookIn
from app.webhooks.webhook import Webhook
from app.webhooks.webhooks import MAX_WEBHOOKS, Webhooks

_SHOWN: Final = 30


class NewWebhook(WebhookIn, Form):
    events: tuple[WebhookEvent, ...] = ()


class WebhookPages(Pages):
    _webhooks: Webhooks

    @page("/console/agents/{agent_id}/webhooks", access=read, menu=MenuEntry("Webhooks", "Set-up", 3, "plug"))
    async def webhooks(self, visit: Visit[ListWanted]) -> Shown:
        return await self._page(visit, visit.input)

    @action("/console/agents/{agent_id}/webhooks", access=write, shown_on="webhooks")
    async def add_webhook(self, visit: Visit[NewWebhook]) -> Shown:
        """Shown in the response itself, because a secret must not be in a cookie or an address."""
        given = visit.input
        made, secret = await self._webhooks.create(visit.actor, visit.agent.id, given.url, given.events)
        return await self._page(visit, ListWanted(), made, secret)

    @action("/console/agents/{agent_id}/webhooks/dead-letters/{delivery_id}/retry", access=write, under="webhooks")
    async def retry_dead_letter(self, visit: Visit[NoForm]) -> Go:
        await self._webhooks.retry(visit.actor, visit.agent.id, visit.path_id("delivery_id"))
        return Go(visit.url("webhooks"), "Queued to be sent again.")

    @action("/console/agents/{agent_id}/webhooks/{webhook_id}/remove", access=write, under="webhooks")
    async def remove_webhook(self, visit: Visit[NoForm]) -> Go:
        await self._webhooks.delete(visit.actor, visit.agent.id, visit.path_id("webhook_id"))
        return Go(visit.url("webhooks"), "Webhook removed.")

    async def _page(
        self, visit: Visit[Form], wanted: ListWanted, made: Webhook | None = None, secret: str = ""
    ) -> Shown:
        letters = await self._webhooks.dead_letters(visit.actor, visit.agent.id, wanted.part(_SHOWN))
        webhooks = await self._webhooks.webhooks(visit.actor, visit.agent.id)
        context = {
            "webhooks": webhooks,
            "addresses": {webhook.id: webhook.url for webhook in webhooks},
            "letters": letters,
            "cursor": wanted.cursor,
            "made": made,
            "secret": secret,
            "in_words": {event.name: event.words for event in declared_events()},
            "usual": urgent_events(),
            "most": MAX_WEBHOOKS,
        }
        return Shown("webhooks/webhooks.html", context)
