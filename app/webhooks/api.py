"""Admin API: where an agent's events are posted to."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import Field

from app.core.actor import Actor
from app.core.webhook_event import WebhookEvent, declared_events
from app.web.model import Url
from app.web.operation import Api, Call, ListOut, ListQuery, Model, delete, get, items_of, post, read, write
from app.webhooks.webhook import DeadLetter, Webhook
from app.webhooks.webhooks import Webhooks

TAG = "Webhooks"


class EventsOf:
    """Marks a field with at least one of these events, by default all. They are read when the model is first used."""

    def __init__(self, choices: Callable[[], Iterable[WebhookEvent]]) -> None:
        self._choices = choices

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        choices = tuple(self._choices())
        events = {**handler(source), "min_length": 1, "max_length": len(choices)}
        return {"type": "default", "schema": events, "default": choices}


class WebhookIn(Model):
    url: Url = Field(min_length=1, description="An https URL, not at a private address.")
    events: Annotated[tuple[WebhookEvent, ...], EventsOf(lambda: [event.name for event in declared_events()])]


class WebhookOut(Model, shows=Webhook, fields="id agent_id url events created_at"): ...


class NewWebhookOut(WebhookOut):
    secret: str = Field(description="Shown once. It signs every delivery to this webhook.")


class WebhooksOut(Model, adds=items_of(WebhookOut)): ...


class DeadLetterOut(
    Model,
    shows=DeadLetter,
    fields="id webhook_id event turn_id conversation_id attempts last_error occurred_at died_at",
): ...


class AdminWebhooks(Api):
    tag = TAG
    _webhooks: Webhooks

    @get("/v1/agents/{agent_id}/webhooks", "List the agent's webhooks, oldest first", access=read)
    async def list_webhooks(self, call: Call[Actor, None]) -> WebhooksOut:
        found = await self._webhooks.webhooks(call.caller, call.path_id("agent_id"))
        return WebhooksOut.showing(items=found)

    @post(
        "/v1/agents/{agent_id}/webhooks",
        "Create a webhook, which posts the agent's events to your server",
        access=write,
        status=201,
    )
    async def create_webhook(self, call: Call[Actor, WebhookIn]) -> NewWebhookOut:
        body = call.input
        webhook, secret = await self._webhooks.create(call.caller, call.path_id("agent_id"), body.url, body.events)
        return NewWebhookOut(**WebhookOut.showing(webhook).model_dump(), secret=secret)

    @delete("/v1/agents/{agent_id}/webhooks/{webhook_id}", "Delete a webhook and its pending deliveries", access=write)
    async def delete_webhook(self, call: Call[Actor, None]) -> None:
        await self._webhooks.delete(call.caller, call.path_id("agent_id"), call.path_id("webhook_id"))

    @get(
        "/v1/agents/{agent_id}/webhooks/dead-letters", "List deliveries that failed for good, latest first", access=read
    )
    async def list_dead_letters(self, call: Call[Actor, ListQuery]) -> ListOut[DeadLetterOut]:
        page = await self._webhooks.dead_letters(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[DeadLetterOut].showing(page)

    @post(
        "/v1/agents/{agent_id}/webhooks/dead-letters/{delivery_id}/retry",
        "Retry a dead letter, with the same id",
        access=write,
    )
    async def retry_dead_letter(self, call: Call[Actor, None]) -> None:
        await self._webhooks.retry(call.caller, call.path_id("agent_id"), call.path_id("delivery_id"))
