"""Admin API: where an agent's events are posted to."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from app.domain.webhook import DeadLetter, Webhook, WebhookEvent
from app.operating.actor import Actor
from app.operating.webhooks import Webhooks
from app.web.admin_access import AdminAccess
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model
from app.web.list_models import ListOut, ListQuery, listed

TAG = "Webhooks"


class WebhookIn(Model):
    url: str = Field(min_length=1, max_length=2048, description="https, and not a private address.")
    events: Annotated[tuple[WebhookEvent, ...], Field(min_length=1, max_length=10)] = tuple(WebhookEvent)


class WebhookOut(Model):
    id: UUID
    agent_id: UUID
    url: str
    events: tuple[WebhookEvent, ...]
    created_at: datetime

    @classmethod
    def of(cls, webhook: Webhook) -> "WebhookOut":
        return cls.model_validate(webhook)


class NewWebhookOut(WebhookOut):
    secret: str = Field(description="Shown once. It signs every delivery to this webhook.")


class WebhooksOut(Model):
    items: tuple[WebhookOut, ...]


class DeadLetterOut(Model):
    id: UUID = Field(description="The delivery's, as the receiver sees it in Docent-Delivery.")
    webhook_id: UUID
    event: WebhookEvent
    turn_id: UUID | None = Field(description="Null for what happened to a conversation, and for a digest.")
    conversation_id: UUID | None = Field(description="Null for a digest.")
    attempts: int
    last_error: str
    occurred_at: datetime
    died_at: datetime

    @classmethod
    def of(cls, letter: DeadLetter) -> "DeadLetterOut":
        return cls.model_validate(letter)


class AdminWebhooks:
    def __init__(self, webhooks: Webhooks, access: AdminAccess) -> None:
        self._webhooks = webhooks
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        path = "/v1/agents/{agent_id}/webhooks"
        return (
            Endpoint(
                "GET",
                path,
                "listWebhooks",
                "Where the agent's events are posted to, oldest first",
                TAG,
                self._access.read,
                self.of_agent,
                response_model=WebhooksOut,
                codes=("not_found",),
            ),
            Endpoint(
                "POST",
                path,
                "createWebhook",
                "Have the agent's events posted to an address of yours",
                TAG,
                self._access.write,
                self.create,
                input_model=WebhookIn,
                response_model=NewWebhookOut,
                status=201,
                codes=("not_found",),
            ),
            Endpoint(
                "GET",
                f"{path}/dead-letters",
                "listDeadLetters",
                "Deliveries that were given up, latest first",
                TAG,
                self._access.read,
                self.dead_letters,
                input_model=ListQuery,
                response_model=ListOut[DeadLetterOut],
                codes=("not_found",),
            ),
            Endpoint(
                "POST",
                f"{path}/dead-letters/{{delivery_id}}/retry",
                "retryDeadLetter",
                "Send it again, under the same id",
                TAG,
                self._access.write,
                self.retry,
                status=204,
                codes=("not_found",),
            ),
            Endpoint(
                "DELETE",
                f"{path}/{{webhook_id}}",
                "deleteWebhook",
                "Post nothing more to it, and drop what is on its way",
                TAG,
                self._access.write,
                self.delete,
                status=204,
                codes=("not_found",),
            ),
        )

    async def of_agent(self, call: Call[Actor, None]) -> WebhooksOut:
        found = await self._webhooks.of_agent(call.caller, call.path_id("agent_id"))
        return WebhooksOut(items=tuple(WebhookOut.of(webhook) for webhook in found))

    async def create(self, call: Call[Actor, WebhookIn]) -> NewWebhookOut:
        asked = call.input
        webhook, secret = await self._webhooks.create(call.caller, call.path_id("agent_id"), asked.url, asked.events)
        return NewWebhookOut(**WebhookOut.of(webhook).model_dump(), secret=secret)

    async def delete(self, call: Call[Actor, None]) -> None:
        await self._webhooks.delete(call.caller, call.path_id("agent_id"), call.path_id("webhook_id"))

    async def dead_letters(self, call: Call[Actor, ListQuery]) -> ListOut[DeadLetterOut]:
        page = await self._webhooks.dead_letters(call.caller, call.path_id("agent_id"), call.input.page)
        return listed(ListOut[DeadLetterOut], page, DeadLetterOut.of)

    async def retry(self, call: Call[Actor, None]) -> None:
        await self._webhooks.retry(call.caller, call.path_id("agent_id"), call.path_id("delivery_id"))
