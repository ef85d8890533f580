"""The base of request and response bodies."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from inspect import get_annotations
from types import MappingProxyType, SimpleNamespace
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import AliasChoices, AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from app.core.field_rules import MAX_EMAIL_CHARS, MAX_LANGUAGE_CHARS, MAX_QUESTION_CHARS, MAX_URL_CHARS
from app.core.list_page import PageRequest
from app.web.derived_fields import Declared, as_written, limits_at, path_to, shown, sources, taken

MAX_LIMIT = 200
ItemOut = TypeVar("ItemOut", bound="Model")
Extended = TypeVar("Extended", bound=BaseModel)
Value = TypeVar("Value", bound=Any)


class Body(BaseModel):
    """A request or response body whose fields are derived from a dataclass, its value.

    `shows` is the dataclass that an output presents, `takes` the one that an input creates or changes. `fields` lists
    the model's fields in order, separated by spaces; `turn_id=id` is the attribute `id` under another name. A field
    that the class does not annotate has the type and meaning of the value's field, and in an input its default and
    limits; a Patch requires none. An annotated field may declare limits and a meaning as dataclasses do; without a
    meaning, it has the value's. An output may also show attributes of the value's `parts`. `adds` has further fields by
    name.
    """

    field_of: ClassVar[Mapping[str, str]] = {}
    """The names of fields that differ from the value's attributes, by attribute."""

    model_of: ClassVar[dict[type, type]] = {}
    """The first model that shows a dataclass, by the dataclass: it is the type of other models' fields."""

    def __init_subclass__(
        cls,
        *,
        shows: type | None = None,
        takes: type | None = None,
        fields: str = "",
        parts: str = "",
        adds: Mapping[str, Declared] = MappingProxyType({}),
        **config: Any,
    ) -> None:
        super().__init_subclass__(**config)
        kind, written = shows or takes or object, get_annotations(cls)
        own: dict[str, Any] = {}
        for name, source in sources(fields).items():
            path = path_to(source, kind, parts.split())
            if name in written:
                own[name] = as_written(written.pop(name), limits_at(kind, path, is_input=takes is not None))
            elif not any(name in getattr(base, "model_fields", ()) for base in cls.__bases__):
                is_required = not issubclass(cls, Patch)
                own[name], default = (
                    taken(kind, path, is_required) if takes else shown(kind, path or source, cls.model_of)
                )
                setattr(cls, name, default)
        own |= {name: as_written(annotation) for name, annotation in written.items()}
        for name, (own[name], default) in adds.items():
            setattr(cls, name, default)
        cls.__annotations__ = own
        if shows:
            cls.model_of.setdefault(shows, cls)
        if takes:
            cls.field_of = {
                **cls.field_of,
                **{source: name for name, source in sources(fields).items() if source != name},
            }

    @classmethod
    def __pydantic_init_subclass__(
        cls, *, shows: type | None = None, fields: str = "", parts: str = "", **_: Any
    ) -> None:
        if shows:
            by_name = sources(fields)
            for name, field in cls.model_fields.items():
                source = by_name.get(name, name)
                path = path_to(source, shows, parts.split()) or source
                if path != name:
                    where = [AliasPath(name), AliasPath(*path.split("."))]
                    field.validation_alias = AliasChoices(*(where if source == name else reversed(where)))

    def made(self, kind: type[Value], **others: Any) -> Value:
        """Create a value of this kind. Its fields come from `others`, else from the body."""
        made: Value = kind(**self._given(kind) | others)
        return made

    def applied_to(self, value: Value) -> Value:
        """The value changed by the body's fields, or by those of a Patch that were sent."""
        applied: Value = replace(value, **self._given(type(value)))
        return applied

    def _given(self, kind: type[Value]) -> dict[str, Any]:
        given = self.model_fields_set if isinstance(self, Patch) else type(self).model_fields
        names = {each.name: self.field_of.get(each.name, each.name) for each in fields(kind)}
        return {name: getattr(self, own) for name, own in names.items() if own in given}


class Model(Body):
    """Input and output: strict types, no unknown fields, no infinite numbers."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, from_attributes=True, defer_build=True
    )

    @classmethod
    def showing(cls, *values: Any, **others: Any) -> Self:
        """Build the model from values. Each field comes from `others`, else from the first value that has an attribute
        with its name. Nested models are built from attributes too."""
        shown = values[0] if len(values) == 1 and not others else _Joined(SimpleNamespace(**others), *values)
        return cls.model_validate(shown, strict=False)


class _Joined:
    """Combines the attributes of several values; the first value that has an attribute wins."""

    def __init__(self, *values: Any) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        return getattr(next((each for each in self._values if hasattr(each, name)), None), name)


def without_defaults(schema: dict[str, Any]) -> None:
    """Remove defaults from the schema of a PATCH, because omitted fields keep their values."""
    for described in schema["properties"].values():
        described.pop("default", None)


class Patch(Model, json_schema_extra=without_defaults):
    """Fields that are not sent stay unchanged."""


def example(**fields: Any) -> Callable[[type[Extended]], type[Extended]]:
    """Decorates a model with an example for its schema."""

    def shown(model: type[Extended]) -> type[Extended]:
        model.model_config = {**model.model_config, "json_schema_extra": {"examples": [fields]}}
        return model

    return shown


RequiredQuestion = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]
RequiredUrl = Annotated[str, Field(min_length=1, max_length=MAX_URL_CHARS)]
OrNull = BeforeValidator(lambda text: text or None)
"""A text of an output that is null instead of ""."""

Cursor = Annotated[str, Field(max_length=512)]
Email = Annotated[str, Field(max_length=MAX_EMAIL_CHARS)]
Address = Annotated[str, Field(min_length=3, max_length=MAX_EMAIL_CHARS)]
Language = Annotated[str, Field(max_length=MAX_LANGUAGE_CHARS)]
Question = Annotated[str, Field(max_length=MAX_QUESTION_CHARS)]
Url = Annotated[str, Field(max_length=MAX_URL_CHARS)]


class Multipart(Model):
    """Read from a multipart body."""


class ListQuery(Model):
    limit: int = Field(default=50, ge=1, le=MAX_LIMIT)
    cursor: Cursor | None = Field(default=None, min_length=1, description="The next_cursor of the page before.")

    @property
    def page(self) -> PageRequest:
        return PageRequest(limit=self.limit, cursor=self.cursor)


class ListOut(Model, Generic[ItemOut]):
    items: tuple[ItemOut, ...]
    next_cursor: str | None = Field(description="Null on the last page.")
