"""The console's pages of an agent's actions: listed, written, tried, changed, deleted."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from uuid import uuid4

from pydantic import Field

from app.actions.action import (
    MAX_DAILY_CALLS,
    MAX_DESCRIPTION_CHARS,
    MAX_HEADER_CHARS,
    MAX_NAME_CHARS,
    MAX_PATH_CHARS,
    MAX_RESULT_CHARS,
    MAX_SUMMARY_CHARS,
    MAX_TIMEOUT_SECONDS,
    MAX_TITLE_CHARS,
    MAX_URL_CHARS,
    Action,
    ActionMethod,
)
from app.actions.action_calls import CalledAction
from app.actions.actions import Actions
from app.core.errors import InvalidInput
from app.web.console.forms import Lines
from app.web.console.page import Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write

_AS_THEY_ARE: Final = {
    *("name", "title", "description", "url", "method"),
    *("result_path", "max_result_chars", "timeout_seconds", "daily_calls", "is_on"),
    *("changes", "summary", "done_text"),
}
_MAX_JSON_CHARS: Final = 20_000
_METHODS: Final = (
    (ActionMethod.GET.value, "GET"),
    *((method.value, method.value) for method in ActionMethod if method is not ActionMethod.GET),
)


class ActionForm(Form):
    name: str = Field(max_length=MAX_NAME_CHARS)
    title: str = Field(max_length=MAX_TITLE_CHARS)
    description: str = Field(max_length=MAX_DESCRIPTION_CHARS)
    url: str = Field(max_length=MAX_URL_CHARS)
    method: ActionMethod = ActionMethod.GET
    parameters: str = Field(default="{}", max_length=_MAX_JSON_CHARS)
    fixed: Lines = ()
    result_path: str = Field(default="", max_length=MAX_PATH_CHARS)
    max_result_chars: int = Field(default=2000, ge=1, le=MAX_RESULT_CHARS)
    timeout_seconds: int = Field(default=5, ge=1, le=MAX_TIMEOUT_SECONDS)
    daily_calls: int = Field(default=1000, ge=1, le=MAX_DAILY_CALLS)
    header_name: str = Field(default="Authorization", max_length=MAX_NAME_CHARS)
    header_value: str = Field(default="", max_length=MAX_HEADER_CHARS)
    is_on: bool = False
    changes: bool = False
    summary: str = Field(default="", max_length=MAX_SUMMARY_CHARS)
    done_text: str = Field(default="", max_length=MAX_SUMMARY_CHARS)

    def onto(self, action: Action) -> Action:
        plain = self.model_dump(include=_AS_THEY_ARE)
        return replace(
            action, **plain, parameters=_json_object("parameters", self.parameters), fixed=_named("fixed", self.fixed)
        )

    @property
    def headers(self) -> dict[str, str]:
        """One; the API takes more."""
        return {self.header_name.strip(): self.header_value.strip()} if self.header_value else {}


class ChangedActionForm(ActionForm):
    forget_headers: bool = False


class TryForm(Form):
    arguments: str = Field(default="{}", max_length=_MAX_JSON_CHARS)
    visitor: Lines = ()


class ActionPages(Pages):
    def __init__(self, actions: Actions) -> None:
        self._actions = actions

    @page("/console/agents/{agent_id}/actions", access=read, menu=MenuEntry("Actions", 45, "bolt"))
    async def actions(self, visit: Visit[NoForm]) -> Shown:
        listed = await self._actions.of_agent(visit.actor, visit.agent.id)
        return Shown("actions.html", {"actions": listed, "hosts": self._actions.hosts, "methods": _METHODS})

    @action("/console/agents/{agent_id}/actions", access=write, shown_on="actions")
    async def create_action(self, visit: Visit[ActionForm]) -> Go:
        new = visit.input.onto(Action(uuid4(), visit.agent.id, "", "", "", ""))
        made = await self._actions.create(visit.actor, new, visit.input.headers)
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
        arguments = _json_object("arguments", visit.input.arguments)
        visitor = _named("visitor", visit.input.visitor)
        called = await self._actions.try_out(
            visit.actor, visit.agent.id, visit.path_id("action_id"), arguments, visitor
        )
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


def _json_object(field: str, text: str) -> Mapping[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise InvalidInput(field, 'Write a JSON object, such as {"order": "A-17"}.')
    return told


def _named(field: str, lines: Lines) -> dict[str, str]:
    pairs = [line.partition("=") for line in lines]
    if not all(found and name.strip() for name, found, _ in pairs):
        raise InvalidInput(field, "Write one a line, such as customer={{visitor.id}}.")
    return {name.strip(): value.strip() for name, _, value in pairs}
