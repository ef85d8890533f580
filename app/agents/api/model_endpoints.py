"""Admin API: a workspace's own chat models."""

from datetime import UTC, datetime
from uuid import uuid4

from app.agents.model_endpoint import MAX_ENDPOINTS, EndpointKey, ModelEndpoint
from app.agents.model_endpoints import ModelEndpoints
from app.core.actor import Actor
from app.web.derived_fields import taken
from app.web.operation import Api, Call, ListOut, Model, Patch, delete, example, get, manage, patch, post

TAG = "Chat models"
_KEY = {"key": taken(EndpointKey, "key")}
_SET = "model temperature reasoning_effort reasoning_tokens prompt price_prompt price_cached price_answer"


@example(name="large", url="https://api.openai.com/v1", model="gpt-5", key="sk-...", price_prompt=1.25, price_answer=10)
class ModelEndpointIn(Model, takes=ModelEndpoint, fields=f"name url {_SET}", adds=_KEY): ...


class ModelEndpointPatch(Patch, takes=ModelEndpoint, fields=f"url {_SET}", adds=_KEY):
    """Send the key again with an address that has another host."""


class ModelEndpointOut(Model, shows=ModelEndpoint, fields=f"id name url {_SET} revision created_at"): ...


def made_of(given: ModelEndpointIn, actor: Actor) -> tuple[ModelEndpoint, str]:
    now = datetime.now(UTC)
    made = given.made(ModelEndpoint, id=uuid4(), workspace_id=actor.workspace_id, created_at=now)
    return made, given.made(EndpointKey).key


class AdminModelEndpoints(Api):
    tag = TAG
    _endpoints: ModelEndpoints

    @get("/v1/chat-models", f"List the workspace's own chat models by name; at most {MAX_ENDPOINTS}", access=manage)
    async def list_chat_models(self, call: Call[Actor, None]) -> ListOut[ModelEndpointOut]:
        found = await self._endpoints.of_workspace(call.caller)
        return ListOut[ModelEndpointOut](items=tuple(map(ModelEndpointOut.showing, found)), next_cursor=None)

    @post("/v1/chat-models", "Add a chat model, which agents choose by its name", access=manage, status=201)
    async def create_chat_model(self, call: Call[Actor, ModelEndpointIn]) -> ModelEndpointOut:
        made = await self._endpoints.create(call.caller, *made_of(call.input, call.caller))
        return ModelEndpointOut.showing(made)

    @patch("/v1/chat-models/{chat_model_id}", "Change a chat model; only the fields sent change", access=manage)
    async def edit_chat_model(self, call: Call[Actor, ModelEndpointPatch]) -> ModelEndpointOut:
        chat_model_id, given = call.path_id("chat_model_id"), call.input
        changed = await self._endpoints.change(
            call.caller, chat_model_id, given.applied_to, given.made(EndpointKey).key
        )
        return ModelEndpointOut.showing(changed)

    @delete("/v1/chat-models/{chat_model_id}", "Delete a chat model that no agent uses", access=manage)
    async def delete_chat_model(self, call: Call[Actor, None]) -> None:
        await self._endpoints.delete(call.caller, call.path_id("chat_model_id"))

    @post(
        "/v1/chat-models/{chat_model_id}/test",
        "Ask a chat model for a word; 503 says why it does not answer",
        access=manage,
        codes=("unavailable", "model_interrupted"),
    )
    async def test_chat_model(self, call: Call[Actor, None]) -> None:
        await self._endpoints.test(call.caller, call.path_id("chat_model_id"))
