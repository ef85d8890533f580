"""The base of request and response bodies."""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from datetime import date
from typing import Annotated, Any, Final, Generic, Self, TypeVar, get_type_hints

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, Strict, create_model

from app.core.list_page import PageRequest
from app.core.setting import Setting, settings_of

MAX_LIMIT = 200
_WRITTEN: Final = re.compile(r"\d{4}-\d\d-\d\d(?!\d)", re.ASCII)
ItemOut = TypeVar("ItemOut", bound="Model")
Extended = TypeVar("Extended", bound=BaseModel)


class Model(BaseModel):
    """Input and output: strict types, no unknown fields, no infinite numbers."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, from_attributes=True, defer_build=True
    )

    @classmethod
    def of(cls, *values: Any, **others: Any) -> Self:
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


def with_fields(fields: Mapping[str, Any]) -> Callable[[type[Extended]], type[Extended]]:
    """Adds another class's fields to a model: the type of each, and its `Field` or default, by name."""
    return lambda model: create_model(
        model.__name__, __doc__=model.__doc__, __base__=model, __module__=model.__module__, **fields
    )


def mirrors(kind: type, names: str) -> Callable[[type[Extended]], type[Extended]]:
    """The fields of a model in this order, between spaces: each that its body leaves out is as `kind` has it. A model
    that others extend is written out, because theirs would come before those from `kind`."""

    def extended(model: type[Extended]) -> type[Extended]:
        theirs = [name for name in names.split() if name not in model.model_fields]
        made = with_fields({name: (_type_of(kind, name), ...) for name in theirs})(model)
        for name in names.split():  # a schema lists them in the order of this mapping
            made.model_fields[name] = made.model_fields.pop(name)
        return made

    return extended


def _type_of(kind: type, name: str) -> Any:
    found = getattr(kind, name, None)
    return get_type_hints(found.fget)["return"] if isinstance(found, property) else get_type_hints(kind)[name]


def setting_fields(kind: type) -> Mapping[str, Any]:
    """For `with_fields`: the declared settings of a dataclass that have a default, with their limits and meanings."""
    types, defaults = get_type_hints(kind), {each.name: each.default for each in fields(kind)}
    return {
        name: (types[name], Field(default=defaults[name], description=setting.meaning or None, **limits(setting)))
        for name, setting in settings_of(kind).items()
        if defaults[name] is not MISSING
    }


def limits(setting: Setting) -> dict[str, Any]:
    """As arguments of a `Field`."""
    low, high = setting.between or (None, None)
    found = {"ge": low, "le": high, "max_length": setting.most}
    return {name: limit for name, limit in found.items() if limit is not None}


def _written(value: Any) -> Any:
    if isinstance(value, date) or (isinstance(value, str) and _WRITTEN.match(value)):
        return value
    raise ValueError('Write it as RFC 3339 does, such as "2026-01-31" or "2026-01-31T12:00:00Z".')


# Moments and days as RFC 3339 writes them; numbers, which pydantic reads as seconds since 1970, are refused. What
# comes out of a validator of ours is no JSON any more, where a strict type takes texts.
Timestamp = Annotated[AwareDatetime, Strict(False), BeforeValidator(_written)]
Day = Annotated[date, Strict(False), BeforeValidator(_written)]


class Multipart(Model):
    """Read from a multipart body."""


def without_defaults(schema: dict[str, Any]) -> None:
    """For the schema of a PATCH: fields that are left out keep their values, so defaults would mislead."""
    for described in schema["properties"].values():
        described.pop("default", None)


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
