"""Admin API: an agent in Slack and Discord; and what these two call."""

from uuid import UUID

from starlette.responses import JSONResponse, Response

from app.core.actor import Actor
from app.messengers.messenger import Messenger, MessengerKeys, MessengerKind
from app.messengers.messengers import Messengers
from app.web.access import hook
from app.web.operation import Api, Call, Model, delete, get, items_of, post, put, read, write
from app.web.request_body import read_body

MAX_BODY_BYTES = 256 * 1024
_HOOK = "A question from {}, signed by it; it is answered there"
_CODES = ("too_large", "unavailable")


class MessengerIn(Model, takes=MessengerKeys, fields="signing token"):
    kind: MessengerKind


class MessengerOut(Model, shows=Messenger, fields="id kind created_at answered_at last_error"): ...


class MessengersOut(Model, adds=items_of(MessengerOut)): ...


def hook_path(root_path: str, agent_id: UUID, kind: MessengerKind) -> str:
    """The path of the webhook that the service calls."""
    return f"{root_path}/v1/hooks/{kind}/{agent_id}"


class AdminMessengers(Api):
    tag = "Slack and Discord"
    _messengers: Messengers

    @get("/v1/agents/{agent_id}/messengers", "List where an agent answers: in Slack, in Discord", access=read)
    async def list_messengers(self, call: Call[Actor, None]) -> MessengersOut:
        found = await self._messengers.messengers(call.caller, call.path_id("agent_id"))
        return MessengersOut.showing(items=found)

    @put("/v1/agents/{agent_id}/messengers", "Connect an agent to Slack or Discord, or change its keys", access=write)
    async def set_messenger(self, call: Call[Actor, MessengerIn]) -> MessengerOut:
        given, agent_id = call.input, call.path_id("agent_id")
        keys = given.made(MessengerKeys)
        return MessengerOut.showing(await self._messengers.set(call.caller, agent_id, given.kind, keys))

    @delete("/v1/agents/{agent_id}/messengers/{messenger_id}", "Disconnect it; its conversations stay", access=write)
    async def clear_messenger(self, call: Call[Actor, None]) -> None:
        await self._messengers.clear(call.caller, call.path_id("agent_id"), call.path_id("messenger_id"))

    @post("/v1/hooks/slack/{agent_id}", _HOOK.format("Slack"), access=hook, codes=_CODES)
    async def hear_slack(self, call: Call[None, None]) -> Response:
        return await self._received(call, MessengerKind.SLACK)

    @post("/v1/hooks/discord/{agent_id}", _HOOK.format("Discord"), access=hook, codes=_CODES)
    async def hear_discord(self, call: Call[None, None]) -> Response:
        return await self._received(call, MessengerKind.DISCORD)

    async def _received(self, call: Call[None, None], kind: MessengerKind) -> Response:
        """Reads the body as raw bytes, which the signature covers."""
        body = await read_body(call.request, MAX_BODY_BYTES)
        response = await self._messengers.receive(call.path_id("agent_id"), kind, call.request.headers, body)
        return JSONResponse(dict(response), headers={"Cache-Control": "no-store"})
