"""Configuration values (frozen dataclasses) to JSON objects and back."""

from collections.abc import Hashable
from dataclasses import asdict, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints
from uuid import UUID

Config = TypeVar("Config")


def config_to_json(config: Any) -> dict[str, Any]:
    return {key: _plain(value) for key, value in asdict(config).items()}


def config_from_json(kind: type[Config], stored: dict[str, Any]) -> Config:
    """The value of that kind. A row older than a field gets the field's default; a key that no field claims any
    longer is dropped."""
    hints = _field_types(cast(Hashable, kind))
    known = {key: _value(hints[key], value) for key, value in stored.items() if key in hints}
    return kind(**known)


@cache
def _field_types(kind: Hashable) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(hint: Any, stored: Any) -> Any:
    if stored is None:
        return None
    if get_origin(hint) is UnionType:  # "date | None"
        [hint] = (kind for kind in get_args(hint) if kind is not type(None))
    if get_origin(hint) is tuple:
        item, *_ = get_args(hint)
        return tuple(_value(item, value) for value in stored)
    if isinstance(hint, type) and is_dataclass(hint):
        return config_from_json(hint, stored)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(stored)
    if hint is UUID:
        return UUID(stored)
    if hint is date:
        return date.fromisoformat(stored)
    return stored


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, UUID | date):
        return str(value)
    return value
