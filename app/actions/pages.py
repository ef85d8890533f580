"""The console's pages of an agent's actions: listed, written, tried, changed, deleted."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

from app.actions.action import MAX_HEADER_CHARS, MAX_NAME_CHARS, ActionMethod
from app.actions.action_calls import CalledAction
from app.actions.actions import Actions
from app.actions.api import ActionFields, TryIn
from app.web.console.page import Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write

_METHODS: Final = (
    (ActionMethod.GET.value, "GET"),
    *((method.value, method.value) for method in ActionMethod if method is not ActionMethod.GET),
)


def _json_object(text: str) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise ValueError('Write a JSON object, such as {"order": "A-17"}.')
    return told


def _pairs(text: str) -> dict[str, str]:
    pairs = [line.partition("=") for line in text.splitlines() if line.strip()]
    if not all(found and name.strip() for name, found, _ in pairs):
        raise ValueError("Write one a line, such as customer={{visitor.id}}.")
    return {name.strip(): value.strip() for name, _, value in pairs}


JsonObject = Annotated[dict[str, Any], BeforeValidator(_json_object)]
Pairs = Annotated[dict[str, str], BeforeValidator(_pairs)]


class ActionForm(ActionFields, Form):
    parameters: JsonObject = Field(default_factory=dict)
    fixed: Pairs = Field(default_factory=dict)
    is_on: bool = False
    header_name: str = Field(default="Authorization", max_length=MAX_NAME_CHARS)
    header_value: str = Field(default="", max_length=MAX_HEADER_CHARS)

    @property
    def headers(self) -> Mapping[str, str]:
        """One; the API takes more."""
        return {self.header_name.strip(): self.header_value.strip()} if self.header_value else {}


class ChangedActionForm(ActionForm):
    forget_headers: bool = False


class TryForm(TryIn, Form):
    arguments: JsonObject = Field(default_factory=dict)
    visitor: Pairs = Field(default_factory=dict)


class ActionPages(Pages):
    def __init__(self, actions: Actions) -> None:
        self._actions = actions

    @page("/console/agents/{agent_id}/actions", access=read, menu=MenuEntry("Actions", 45, "bolt"))
    async def actions(self, visit: Visit[NoForm]) -> Shown:
        listed = await self._actions.of_agent(visit.actor, visit.agent.id)
        return Shown("actions.html", {"actions": listed, "hosts": self._actions.hosts, "methods": _METHODS})

    @action("/console/agents/{agent_id}/actions", access=write, shown_on="actions")
    async def create_action(self, visit: Visit[ActionForm]) -> Go:
        given = visit.input
        made = await self._actions.create(visit.actor, given.written_for(visit.agent.id), given.headers)
        return Go(visit.url("agent_action", action_id=made.id), "Saved. Try it before visitors do.")

    @page("/console/agents/{agent_id}/actions/{action_id}", access=read, under="actions")
    async def agent_action(self, visit: Visit[NoForm]) -> Shown:
        return await self._action(visit)

    @action("/console/agents/{agent_id}/actions/{action_id}", access=write, shown_on="agent_action")
    async def edit_action(self, visit: Visit[ChangedActionForm]) -> Go:
        """A header that is left blank stays."""
        given = visit.input
        headers = given.headers if given.headers or given.forget_headers else None
        await self._actions.change(visit.actor, visit.agent.id, visit.path_id("action_id"), given.onto, headers)
        return Go(visit.url("agent_action", action_id=visit.path_id("action_id")), "Saved.")

    @action("/console/agents/{agent_id}/actions/{action_id}/delete", access=write, shown_on="agent_action")
    async def delete_action(self, visit: Visit[NoForm]) -> Go:
        await self._actions.delete(visit.actor, visit.agent.id, visit.path_id("action_id"))
        return Go(visit.url("actions"), "The action and its headers are deleted.")

    @action("/console/agents/{agent_id}/actions/{action_id}/try", access=write, shown_on="agent_action")
    async def try_action(self, visit: Visit[TryForm]) -> Shown:
        """What came back is shown at once, and kept nowhere."""
        given, action_id = visit.input, visit.path_id("action_id")
        called = await self._actions.try_out(visit.actor, visit.agent.id, action_id, given.arguments, given.visitor)
        return await self._action(visit, called)

    async def _action(self, visit: Visit[Form], called: CalledAction | None = None) -> Shown:
        found = await self._actions.get(visit.actor, visit.agent.id, visit.path_id("action_id"))
        told = {
            "action": found,
            "parameters": json.dumps(dict(found.parameters), indent=2, ensure_ascii=False),
            "called": called,
            "hosts": self._actions.hosts,
            "methods": _METHODS,
        }
        return Shown("action.html", told)
