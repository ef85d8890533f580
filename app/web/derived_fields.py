"""Derives fields of request and response bodies from dataclasses: types, defaults, limits and descriptions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from pydantic import AwareDatetime, BeforeValidator, Field, Strict

from app.core.setting import Limits, joined, limits_of, settings_of

Declared = tuple[Any, Any]
"""The type of a field, and its `Field`."""


_NONE: Final = Limits()
_WRITTEN: Final = re.compile(r"\d{4}-\d\d-\d\d(?!\d)", re.ASCII)


def _written(value: Any) -> Any:
    if isinstance(value, date) or (isinstance(value, str) and _WRITTEN.match(value)):
        return value
    raise ValueError('Write it as RFC 3339 does, such as "2026-01-31" or "2026-01-31T12:00:00Z".')


# Moments and days in the format of RFC 3339; numbers, which pydantic reads as seconds since 1970, are refused.
# `Strict(False)` because strict types accept texts only directly from JSON, not from a validator.
Timestamp = Annotated[AwareDatetime, Strict(False), BeforeValidator(_written)]
Day = Annotated[date, Strict(False), BeforeValidator(_written)]


def sources(fields: str) -> Mapping[str, str]:
    """Parse `fields` into the attribute of the value that each field shows, by the field's name."""
    return {name: source or name for name, _, source in (each.partition("=") for each in fields.split())}


def path_to(name: str, kind: type, parts: Sequence[str] = ()) -> str:
    """The path to an attribute called `name` of a value of this kind or, like `chat.state`, of the first of its `parts`
    that has one; "" if there is none. `name` may itself be a path."""
    return next((path for path in (name, *(f"{part}.{name}" for part in parts)) if _attribute(kind, path)), "")


def shown(kind: type, path: str, models: Mapping[Any, Any]) -> Declared:
    """An output field: the type and the meaning of the attribute at this path, with the models of dataclasses in their
    place. Raises TypeError for an attribute or a model that does not exist."""
    if found := _attribute(kind, path):
        type_, meaning = found
        return _with_models(type_, models), Field(description=meaning or None)
    raise TypeError(f"{kind.__name__} has no {path}")


def _with_models(type_: Any, models: Mapping[Any, Any]) -> Any:
    if _is_union(type_):
        return Union[*(_with_models(each, models) for each in get_args(type_))]
    if get_origin(type_) in (tuple, list, Sequence) and get_args(type_)[1:] in ((), (...,)):
        made = _with_models(get_args(type_)[0], models)
        return tuple[made, ...]  # type: ignore[valid-type]
    if isinstance(type_, type) and is_dataclass(type_) and type_ not in models:
        raise TypeError(f"{type_.__name__} has no model: declare one above, or annotate the field")
    return models.get(type_, type_)


def limits_at(kind: type, path: str, *, is_input: bool) -> Limits:
    """The limits and the meaning of the attribute at this path, if there is one; for an output only the meaning."""
    if is_input and is_dataclass(kind):
        return limits_of(kind).get(path, Limits())
    _, meaning = _attribute(kind, path) or (None, "")
    return Limits(meaning=meaning)


def taken(kind: type, name: str, is_required: bool = True) -> Declared:
    """An input field: the type, meaning, limits and default of a dataclass's field."""
    declared, limits = next(each for each in fields(kind) if each.name == name), limits_of(kind).get(name, Limits())
    default: dict[str, Any] = {"default": ... if is_required else None}
    if declared.default is not MISSING:
        default = {"default": declared.default}
    type_ = _types(kind)[name]
    if get_origin(type_) is Mapping:  # bodies have dicts
        type_, default = dict[get_args(type_)], {"default_factory": dict}  # type: ignore[misc]
    moments = {datetime: Timestamp, date: Day}
    type_ = moments.get(
        type_, Union[*(moments.get(each, each) for each in get_args(type_))] if _is_union(type_) else type_
    )
    return _with_entries(type_, limits), Field(**default, **limited(limits))


def setting_fields(kind: type) -> Mapping[str, Declared]:
    """A dataclass's settings with defaults, for the `adds` of a model."""
    defaults = {each.name for each in fields(kind) if each.default is not MISSING}
    return {name: taken(kind, name) for name in settings_of(kind) if name in defaults}


def items_of(item: type, order: str = "") -> Mapping[str, Declared]:
    """The field `items`, described by their `order`, for the `adds` of a list without pagination."""
    return {"items": (tuple[item, ...], Field(description=order or None))}  # type: ignore[valid-type]


def as_written(annotation: Any, usual: Limits = _NONE) -> Any:
    """Convert an annotation such as `Annotated[str, at_most(80), "A name."]` to pydantic's. `usual` supplies the limits
    or the meaning if the annotation has none."""
    type_, *extras = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    if not extras and usual == _NONE:
        return annotation
    limits = joined([*extras, usual.meaning, usual])
    others = [each for each in extras if not isinstance(each, Limits | str)]
    return Annotated[_with_entries(type_, limits), Field(**limited(limits)), *others]


def limited(limits: Limits) -> dict[str, Any]:
    """The limits and the meaning as arguments of a pydantic `Field`."""
    low, high = limits.between or (None, None)
    found = {
        "description": limits.meaning or None,
        "ge": low,
        "le": high,
        "min_length": 1 if limits.is_required else None,
        "max_length": limits.most,
    }
    return {name: limit for name, limit in found.items() if limit is not None}


def _with_entries(type_: Any, limits: Limits) -> Any:
    return tuple[Annotated[str, Field(min_length=1, max_length=limits.most_each)], ...] if limits.most_each else type_


def _attribute(kind: Any, path: str) -> tuple[Any, str] | None:
    """(type, meaning) of the attribute at this path; None if there is none."""
    first, _, rest = path.partition(".")
    if _is_union(kind):
        return next((found for each in get_args(kind) if (found := _attribute(each, path))), None)
    found = _attributes(get_origin(kind) or kind, first)
    return _attribute(found[0], rest) if found and rest else found


@cache
def _attributes(kind: type, name: str) -> tuple[Any, str] | None:
    found = getattr(kind, name, None)
    where, key = (found.fget, "return") if isinstance(found, property) else (kind, name)
    declared = _hints(where).get(key)
    if declared is None:
        return None
    type_, *extras = get_args(declared) if get_origin(declared) is Annotated else (declared,)
    return type_, joined(extras).meaning


_types = cache(get_type_hints)
_hints = cache(partial(get_type_hints, include_extras=True))


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)
