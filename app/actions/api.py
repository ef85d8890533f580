"""HTTP calls that an agent may make, to look something up or to do something once its visitor has confirmed it: the
admin API of the calls, and the visitor API of what an answer proposes."""

from typing import Any, Literal
from uuid import UUID, uuid4

from pydantic import Field

from app.actions.action import MAX_HEADERS, Action
from app.actions.actions import Actions
from app.actions.confirmations import Confirmations
from app.answers.offered_actions import CalledAction
from app.conversations.api.widget_models import ConfirmationOut
from app.core.actor import Actor
from app.core.setting import limits_of
from app.web.operation import (
    Api,
    Call,
    Model,
    Patch,
    VisitorCaller,
    delete,
    example,
    get,
    items_of,
    patch,
    post,
    read,
    visitor,
    write,
)

TAG = "Actions"
_HEADERS = "The values are stored sealed and never shown."
EXAMPLE: dict[str, Any] = {
    "name": "order_status",
    "title": "Order status",
    "description": "Where an order is and when it arrives, by its number.",
    "url": "https://api.example.com/orders/{order}",
    "parameters": {
        "type": "object",
        "properties": {"order": {"type": "string", "description": "The order's number.", "maxLength": 20}},
        "required": ["order"],
    },
    "fixed": {"customer": "{{visitor.id}}"},
    "result_path": "order",
}


_FIELDS = (
    "name title description url method parameters fixed result_path max_result_chars timeout_seconds daily_calls is_on "
    "changes summary done_text"
)


class ActionFields(Model, takes=Action, fields=_FIELDS):
    """The settings of an action, except its headers."""

    def written_for(self, agent_id: UUID) -> Action:
        return self.made(Action, id=uuid4(), agent_id=agent_id)


@example(**EXAMPLE)
class ActionCreate(ActionFields):
    headers: dict[str, str] = Field(default_factory=dict, max_length=MAX_HEADERS, description=_HEADERS)


class ActionPatch(Patch, takes=Action, fields=_FIELDS):
    """Only what is sent changes."""

    headers: dict[str, str] = Field(
        default_factory=dict, max_length=MAX_HEADERS, description=f"Replaces all headers. {_HEADERS}"
    )


class ActionOut(ActionFields):
    id: UUID
    agent_id: UUID
    header_names: tuple[str, ...] = Field(description="The values are stored sealed and are not returned.")


class ActionsOut(Model, adds=items_of(ActionOut)): ...


@example(arguments={"order": "A-17"}, visitor={"id": "ann"})
class TryIn(Model):
    arguments: dict[str, Any] = Field(default_factory=dict, description="Arguments as the model would give them.")
    visitor: dict[str, str] = Field(
        default_factory=dict,
        max_length=limits_of(Action)["fixed"].most,
        description="Values that the website would have signed for the visitor.",
    )


class CalledOut(Model, shows=CalledAction, fields="outcome text status duration_ms"): ...


class AdminActions(Api):
    tag = TAG
    _actions: Actions

    @get("/v1/agents/{agent_id}/actions", "List the agent's actions, by name", access=read)
    async def list_actions(self, call: Call[Actor, None]) -> ActionsOut:
        actions = await self._actions.actions(call.caller, call.path_id("agent_id"))
        return ActionsOut.showing(items=actions)

    @post(
        "/v1/agents/{agent_id}/actions",
        "Create an action: an HTTP call that looks something up or changes something",
        access=write,
        status=201,
    )
    async def create_action(self, call: Call[Actor, ActionCreate]) -> ActionOut:
        given = call.input
        action = given.written_for(call.path_id("agent_id"))
        return ActionOut.showing(await self._actions.create(call.caller, action, given.headers))

    @patch("/v1/agents/{agent_id}/actions/{action_id}", "Change an action; only the fields sent change", access=write)
    async def edit_action(self, call: Call[Actor, ActionPatch]) -> ActionOut:
        given, agent_id = call.input, call.path_id("agent_id")
        headers = given.headers if "headers" in given.model_fields_set else None
        changed = await self._actions.change(
            call.caller, agent_id, call.path_id("action_id"), given.applied_to, headers
        )
        return ActionOut.showing(changed)

    @delete("/v1/agents/{agent_id}/actions/{action_id}", "Delete an action with its headers", access=write)
    async def delete_action(self, call: Call[Actor, None]) -> None:
        await self._actions.delete(call.caller, call.path_id("agent_id"), call.path_id("action_id"))

    @post("/v1/agents/{agent_id}/actions/{action_id}/try", "Call the action once, as an answer would", access=write)
    async def try_action(self, call: Call[Actor, TryIn]) -> CalledOut:
        called = await self._actions.try_out(
            call.caller, call.path_id("agent_id"), call.path_id("action_id"), call.input.arguments, call.input.visitor
        )
        return CalledOut.showing(called)


@example(answer="yes")
class DecisionIn(Model):
    answer: Literal["yes", "no"] = Field(description="The visitor's own decision; nobody else may make it for them.")


class WidgetConfirmations(Api):
    tag = "Visitors"
    _confirmations: Confirmations

    @get("/v1/widget/confirmations/{confirmation_id}", "Get the state of a proposed change", access=visitor)
    async def get_confirmation(self, call: Call[VisitorCaller, None]) -> ConfirmationOut:
        confirmation = await self._confirmations.confirmation(call.caller.session, call.path_id("confirmation_id"))
        return ConfirmationOut.showing(confirmation)

    @post(
        "/v1/widget/confirmations/{confirmation_id}",
        "Confirm a proposed change, which executes it, or decline it; repeating the call changes nothing",
        access=visitor,
    )
    async def decide_confirmation(self, call: Call[VisitorCaller, DecisionIn]) -> ConfirmationOut:
        session, confirmation_id = call.caller.session, call.path_id("confirmation_id")
        decide = self._confirmations.confirm if call.input.answer == "yes" else self._confirmations.decline
        return ConfirmationOut.showing(await decide(session, confirmation_id))
