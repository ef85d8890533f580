"""Configuration values (frozen dataclasses) to JSON objects and back."""

from collections.abc import Hashable
from dataclasses import asdict, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, cast, get_origin, get_type_hints

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
    if get_origin(hint) is tuple:
        return tuple(stored)
    if isinstance(hint, type) and is_dataclass(hint):
        return config_from_json(hint, stored)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(stored)
    return stored


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
