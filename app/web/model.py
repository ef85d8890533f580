"""The base of request and response bodies."""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from datetime import date
from functools import partial
from typing import Annotated, Any, Final, Generic, Self, TypeVar, get_args, get_origin, get_type_hints

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, Strict, create_model

from app.core.field_rules import MAX_EMAIL_CHARS, MAX_LANGUAGE_CHARS, MAX_QUESTION_CHARS, MAX_URL_CHARS
from app.core.list_page import PageRequest
from app.core.setting import Limits, limits_of, settings_of

MAX_LIMIT = 200
_WRITTEN: Final = re.compile(r"\d{4}-\d\d-\d\d(?!\d)", re.ASCII)
ItemOut = TypeVar("ItemOut", bound="Model")
Extended = TypeVar("Extended", bound=BaseModel)
Value = TypeVar("Value", bound=Any)


class Body(BaseModel):
    """What a caller sends, with fields of a value."""

    def made(self, kind: type[Value], **others: Any) -> Value:
        """A value of this kind: each field from `others`, else the body's of its name."""
        made: Value = kind(**{name: getattr(self, name) for name in self._fields_of(kind)} | others)
        return made

    def applied_to(self, value: Value) -> Value:
        """The value with the body's fields instead of its own; of a Patch, those that were sent."""
        applied: Value = replace(value, **{name: getattr(self, name) for name in self._fields_of(type(value))})
        return applied

    def _fields_of(self, kind: type[Value]) -> list[str]:
        given = self.model_fields_set if isinstance(self, Patch) else type(self).model_fields
        return [each.name for each in fields(kind) if each.name in given]


class Model(Body):
    """Input and output: strict types, no unknown fields, no infinite numbers."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, from_attributes=True, defer_build=True
    )

    @classmethod
    def showing(cls, *values: Any, **others: Any) -> Self:
        """Each field comes from `others`, else from the attribute of its name of the first value that has it. Nested
        models are built from such attributes as well."""
        if len(values) == 1 and not others:
            return cls.model_validate(values[0], strict=False)
        found = {
            name: getattr(value, name)
            for value in reversed(values)
            for name in cls.model_fields
            if name not in others and hasattr(value, name)
        }
        return cls.model_validate(found | others, strict=False)


def without_defaults(schema: dict[str, Any]) -> None:
    """For the schema of a PATCH: fields that are left out keep their values, so defaults would mislead."""
    for described in schema["properties"].values():
        described.pop("default", None)


class Patch(Model, json_schema_extra=without_defaults):
    """Fields that are not sent stay unchanged."""


def example(**fields: Any) -> Callable[[type[Extended]], type[Extended]]:
    """Shows a body with these fields in the schema."""

    def shown(model: type[Extended]) -> type[Extended]:
        model.model_config = {**model.model_config, "json_schema_extra": {"examples": [fields]}}
        return model

    return shown


def with_fields(fields: Mapping[str, Any]) -> Callable[[type[Extended]], type[Extended]]:
    """Adds another class's fields to a model: the type of each, and its `Field` or default, by name."""
    return lambda model: create_model(
        model.__name__, __doc__=model.__doc__, __base__=model, __module__=model.__module__, **fields
    )


def mirrors(kind: type, names: str, *others: type) -> Callable[[type[Extended]], type[Extended]]:
    """The fields of a model in this order, between spaces: each that its body leaves out has the type and the meaning
    that `kind`, or else the first of the `others` that has it, declares."""
    return lambda model: _extended(model, names, partial(_mirrored, (kind, *others)))


def takes(kind: type, names: str) -> Callable[[type[Extended]], type[Extended]]:
    """The fields of an input, as `mirrors` has those of an output: each that its body leaves out has the type, the
    default, the limits and the meaning that `kind` declares. A Patch requires none of them."""
    return lambda model: _extended(model, names, partial(_taken, kind, is_required=not issubclass(model, Patch)))


def _extended(model: type[Extended], names: str, field_of: Callable[[str], Any]) -> type[Extended]:
    named = names.split()
    made = with_fields({name: field_of(name) for name in named if name not in model.model_fields})(model)
    others = [name for name in model.model_fields if name not in named]
    inherited = [name for name in others if name not in model.__annotations__]
    ordered = [*inherited, *named, *(name for name in others if name not in inherited)]
    for name in ordered:
        made.model_fields[name] = made.model_fields.pop(name)  # a schema lists them in the order of this mapping
    # Models that extend this one list its fields in the order of the annotations, from the topmost class on.
    written = model.__annotations__ | made.__annotations__
    model.__annotations__, made.__annotations__ = {}, {name: written[name] for name in ordered if name in written}
    return made


def _mirrored(kinds: tuple[type, ...], name: str) -> Any:
    for kind in kinds:
        found = getattr(kind, name, None)
        where, key = (found.fget, "return") if isinstance(found, property) else (kind, name)
        if key in (types := get_type_hints(where, include_extras=True)):
            extras = getattr(types[key], "__metadata__", ())
            meaning = next((each for each in extras if isinstance(each, str)), None)
            return get_type_hints(where)[key], Field(description=meaning)
    raise TypeError(f"nothing has {name}")


def _taken(kind: type, name: str, *, is_required: bool = True) -> Any:
    declared, limits = next(each for each in fields(kind) if each.name == name), limits_of(kind).get(name, Limits())
    default: dict[str, Any] = {"default": ... if is_required else None}
    if declared.default is not MISSING:
        default = {"default": declared.default}
    type_ = get_type_hints(kind)[name]
    if get_origin(type_) is Mapping:  # a body is a plain one
        type_, default = dict[get_args(type_)], {"default_factory": dict}  # type: ignore[misc]
    elif limits.most_each:
        type_ = tuple[Annotated[str, Field(min_length=1, max_length=limits.most_each)], ...]
    return type_, Field(**default, description=limits.meaning or None, **limited(limits))


def setting_fields(kind: type) -> Mapping[str, Any]:
    """For `with_fields`: the declared settings of a dataclass that have a default, with their limits and meanings."""
    defaults = {each.name for each in fields(kind) if each.default is not MISSING}
    return {name: _taken(kind, name) for name in settings_of(kind) if name in defaults}


def limited(limits: Limits) -> dict[str, Any]:
    """As arguments of a `Field`."""
    low, high = limits.between or (None, None)
    found = {"ge": low, "le": high, "min_length": 1 if limits.is_required else None, "max_length": limits.most}
    return {name: limit for name, limit in found.items() if limit is not None}


def _written(value: Any) -> Any:
    if isinstance(value, date) or (isinstance(value, str) and _WRITTEN.match(value)):
        return value
    raise ValueError('Write it as RFC 3339 does, such as "2026-01-31" or "2026-01-31T12:00:00Z".')


# Moments and days as RFC 3339 writes them; numbers, which pydantic reads as seconds since 1970, are refused. What
# comes out of a validator of ours is no JSON any more, where a strict type takes texts.
Timestamp = Annotated[AwareDatetime, Strict(False), BeforeValidator(_written)]
Day = Annotated[date, Strict(False), BeforeValidator(_written)]


Email = Annotated[str, Field(max_length=MAX_EMAIL_CHARS)]
Language = Annotated[str, Field(max_length=MAX_LANGUAGE_CHARS)]
Question = Annotated[str, Field(max_length=MAX_QUESTION_CHARS)]
Url = Annotated[str, Field(max_length=MAX_URL_CHARS)]


class Multipart(Model):
    """Read from a multipart body."""


class ListQuery(Model):
    limit: int = Field(default=50, ge=1, le=MAX_LIMIT)
    cursor: str | None = Field(
        default=None, min_length=1, max_length=512, description="The next_cursor of the page before."
    )

    @property
    def page(self) -> PageRequest:
        return PageRequest(limit=self.limit, cursor=self.cursor)


class ListOut(Model, Generic[ItemOut]):
    items: tuple[ItemOut, ...]
    next_cursor: str | None = Field(description="Null on the last page.")
