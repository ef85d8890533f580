"""The console's pages to list, create, try, change and delete an agent's actions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from app.actions.action import MAX_HEADER_CHARS, MAX_NAME_CHARS, Action, ActionMethod, visitor_fact
from app.actions.actions import Actions
from app.actions.api import ActionFields, TryIn
from app.answers.offered_actions import CalledAction
from app.core.errors import InvalidInput
from app.core.tool_arguments import MAX_CHOICES, MAX_HINT_CHARS, MAX_LABEL_CHARS, MAX_PARAMETERS, PARAMETER_NAME
from app.web.console.page import Form, Go, MenuEntry, NoForm, Pages, Rejected, Shown, Visit, action, page, read, write

_METHODS: Final = (
    (ActionMethod.GET.value, "GET"),
    *((method.value, method.value) for method in ActionMethod if method is not ActionMethod.GET),
)


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ValueError('Write a JSON object, such as {"order": "A-17"}.')
    return value


def _pairs(text: str) -> dict[str, str]:
    pairs = [line.partition("=") for line in text.splitlines() if line.strip()]
    if not all(found and name.strip() for name, found, _ in pairs):
        raise ValueError("Write one per line, such as customer={{visitor.id}}.")
    return {name.strip(): value.strip() for name, _, value in pairs}


JsonObject = Annotated[dict[str, Any], BeforeValidator(_json_object)]
Pairs = Annotated[dict[str, str], BeforeValidator(_pairs)]


class ArgumentForm(Form):
    """One argument that the model supplies. `least` and `most` bound a number, or the characters of a text."""

    kind: Literal["string", "integer", "number", "boolean"] = "string"
    title: str = Field(default="", max_length=MAX_LABEL_CHARS)
    description: str = Field(default="", max_length=MAX_HINT_CHARS)
    is_required: bool = False
    choices: tuple[str, ...] = Field(default=(), max_length=MAX_CHOICES)
    least: float | None = None
    most: float | None = None
    name: str = Field(default="", max_length=MAX_NAME_CHARS, validate_default=True)

    @field_validator("choices")
    @classmethod
    def _fit(cls, choices: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        kind = info.data.get("kind")
        if kind == "boolean":
            raise ValueError("A yes-or-no argument has no choices. Leave this blank.")
        if kind in _NUMBERS and None in (_number(kind, each) for each in choices):
            raise ValueError("Write numbers of this type, one per line.")
        return choices

    @field_validator("least", "most")
    @classmethod
    def _bound(cls, bound: float | None, info: ValidationInfo) -> float | None:
        if bound is not None and info.data.get("kind") == "string" and (bound < 0 or not bound.is_integer()):
            raise ValueError("For a text, this is a number of characters, such as 20.")
        return bound

    @field_validator("name")
    @classmethod
    def _named(cls, name: str, info: ValidationInfo) -> str:
        """Require a valid name in rows that are not blank."""
        if not name and any(info.data.get(field) for field in ("title", "description", "choices", "least", "most")):
            raise ValueError("Give it a name.")
        if name and not PARAMETER_NAME.fullmatch(name):
            raise ValueError("Write letters, digits and _, a letter first, such as order.")
        return name

    @property
    def schema_of_value(self) -> dict[str, Any]:
        bounds = _BOUNDS.get(self.kind, ())
        keywords = {
            "type": self.kind,
            "title": self.title,
            "description": self.description,
            "enum": [_number(self.kind, each) if self.kind in _NUMBERS else each for each in self.choices],
            **{name: _whole(value) for name, value in zip(bounds, (self.least, self.most), strict=False)},
        }
        return {name: value for name, value in keywords.items() if value not in ("", [], None)}

    @property
    def options(self) -> Sequence[tuple[str, str]]:
        """The options (value, label) of a select field; empty if the value is typed."""
        choices = _YES_OR_NO if self.kind == "boolean" else [(each, each) for each in self.choices]
        return [("", "–"), *choices] if choices else []

    @classmethod
    def shown(cls, name: str, schema: Mapping[str, Any], is_required: bool) -> Self:
        least, most = (schema.get(bound) for bound in _BOUNDS.get(schema["type"], ("", "")))
        choices = tuple(map(str, schema.get("enum", ())))
        fields = {
            "kind": schema["type"],
            "title": schema.get("title", ""),
            "description": schema.get("description", ""),
        }
        return cls.model_construct(
            name=name, is_required=is_required, choices=choices, least=least, most=most, **fields
        )


_NUMBERS: Final = ("integer", "number")
_BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
}
_KINDS: Final = (("string", "Text"), ("integer", "Whole number"), ("number", "Number"), ("boolean", "Yes or no"))
_YES_OR_NO: Final = (("true", "Yes"), ("false", "No"))
_BLANK: Final = ArgumentForm(is_required=True)


def _number(kind: str, text: str) -> int | float | None:
    try:
        return int(text) if kind == "integer" else _whole(float(text))
    except (ValueError, OverflowError):
        return None


def _whole(number: float | None) -> int | float | None:
    """The number, as int if it is whole, so that it is shown without a decimal point."""
    return int(number) if number is not None and number.is_integer() else number


def _rows(parameters: Mapping[str, Any]) -> list[ArgumentForm]:
    """MAX_PARAMETERS rows: the arguments, then blank ones."""
    required = parameters.get("required", ())
    properties = parameters.get("properties", {})
    rows = [ArgumentForm.shown(name, schema, name in required) for name, schema in properties.items()]
    return rows + [_BLANK] * (MAX_PARAMETERS - len(rows))


class ActionForm(ActionFields, Form):
    """`parameters` is a JSON Schema instead of `arguments`, for those who prefer to write one."""

    arguments: dict[int, ArgumentForm] = Field(default_factory=dict, max_length=MAX_PARAMETERS)
    parameters: JsonObject = Field(default_factory=dict)
    fixed: Pairs = Field(default_factory=dict)
    is_on: bool = False
    header_name: str = Field(default="Authorization", max_length=MAX_NAME_CHARS)
    header_value: str = Field(default="", max_length=MAX_HEADER_CHARS)

    def written_for(self, agent_id: UUID) -> Action:
        """Raises InvalidInput."""
        return self.onto(super().written_for(agent_id))

    def onto(self, action: Action) -> Action:
        """Raises InvalidInput."""
        return replace(self.applied_to(action), parameters=self.parameters or self._schema())

    def _schema(self) -> dict[str, Any]:
        rows = [row for _, row in sorted(self.arguments.items()) if row.name]
        properties = {row.name: row.schema_of_value for row in rows}
        if len(properties) < len(rows):
            raise InvalidInput("arguments", "Name each argument once.")
        required = [row.name for row in rows if row.is_required]
        return {"type": "object", "properties": properties, "required": required} if rows else {}

    @property
    def headers(self) -> Mapping[str, str]:
        """One header; the API allows more."""
        return {self.header_name.strip(): self.header_value.strip()} if self.header_value else {}

    @contextmanager
    def errors_beside(self) -> Iterator[None]:
        """Map the fields of InvalidInput to those of the form."""
        try:
            yield
        except InvalidInput as error:
            beside = {"headers": "header_value", "parameters": "parameters" if self.parameters else "arguments"}
            raise InvalidInput(beside.get(error.field, error.field), error.message) from None


class ChangedActionForm(ActionForm):
    forget_headers: bool = False


class TryForm(TryIn, Form):
    """Both by name; an argument is the text that was typed or chosen."""

    arguments: dict[str, str] = Field(default_factory=dict)

    def typed_for(self, action: Action) -> dict[str, Any]:
        """The values as a model would write them; a text that is no number stays, and the call reports it."""
        kinds = {name: schema["type"] for name, schema in action.parameters.get("properties", {}).items()}
        return {name: _typed(kinds.get(name, ""), text) for name, text in self.arguments.items()}


def _typed(kind: str, text: str) -> Any:
    if kind in _NUMBERS:
        number = _number(kind, text)
        return text if number is None else number
    return text == "true" if kind == "boolean" else text


class ActionPages(Pages):
    _actions: Actions

    @page("/console/agents/{agent_id}/actions", access=read, menu=MenuEntry("Actions", "Set-up", 1, "bolt"))
    async def actions(self, visit: Visit[NoForm]) -> Shown:
        listed = await self._actions.actions(visit.actor, visit.agent.id)
        context = {"actions": listed, "hosts": self._actions.hosts, "methods": _METHODS, "kinds": _KINDS}
        return Shown("actions/actions.html", context | {"rows": _rows({})})

    @action("/console/agents/{agent_id}/actions", access=write, shown_on="actions")
    async def create_action(self, visit: Visit[ActionForm]) -> Go:
        given = visit.input
        with given.errors_beside():
            made = await self._actions.create(visit.actor, given.written_for(visit.agent.id), given.headers)
        return Go(visit.url("agent_action", action_id=made.id), "Saved. Try it before visitors do.")

    @page("/console/agents/{agent_id}/actions/{action_id}", access=read, under="actions")
    async def agent_action(self, visit: Visit[NoForm]) -> Shown:
        return await self._action(visit)

    @action("/console/agents/{agent_id}/actions/{action_id}", access=write, shown_on="agent_action")
    async def edit_action(self, visit: Visit[ChangedActionForm]) -> Go:
        """A header that is left blank is not changed."""
        given = visit.input
        headers = given.headers if given.headers or given.forget_headers else None
        with given.errors_beside():
            await self._actions.change(visit.actor, visit.agent.id, visit.path_id("action_id"), given.onto, headers)
        return Go(visit.url("agent_action", action_id=visit.path_id("action_id")), "Saved.")

    @action("/console/agents/{agent_id}/actions/{action_id}/delete", access=write, shown_on="agent_action")
    async def delete_action(self, visit: Visit[NoForm]) -> Go:
        await self._actions.delete(visit.actor, visit.agent.id, visit.path_id("action_id"))
        return Go(visit.url("actions"), "The action and its headers are deleted.")

    @action("/console/agents/{agent_id}/actions/{action_id}/try", access=write, shown_on="agent_action")
    async def try_action(self, visit: Visit[TryForm]) -> Shown:
        """The result is shown at once, and not stored."""
        given, action_id = visit.input, visit.path_id("action_id")
        found = await self._actions.action(visit.actor, visit.agent.id, action_id)
        arguments = given.typed_for(found)
        called = await self._actions.try_out(visit.actor, visit.agent.id, action_id, arguments, given.visitor)
        tried = {"arguments": given.arguments, "visitor": given.visitor}
        values = {f"{of}.{name}": (text,) for of, texts in tried.items() for name, text in texts.items()}
        return replace(await self._action(visit, called), form=Rejected("try_action", values, {}))

    async def _action(self, visit: Visit[Form], called: CalledAction | None = None) -> Shown:
        found = await self._actions.action(visit.actor, visit.agent.id, visit.path_id("action_id"))
        facts = sorted({fact for value in found.fixed.values() if (fact := visitor_fact(value))})
        context = {
            "action": found,
            "parameters": json.dumps(dict(found.parameters), indent=2, ensure_ascii=False) if found.parameters else "",
            "rows": _rows(found.parameters),
            "facts": facts,
            "called": called,
            "hosts": self._actions.hosts,
            "methods": _METHODS,
            "kinds": _KINDS,
        }
        return Shown("actions/action.html", context)
