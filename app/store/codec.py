"""Converts rows to values (frozen dataclasses), and configurations to JSON objects and back. A column is converted by
the type of the field with its name: enums, tuples, and nested dataclasses."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Final, TypeVar, cast, get_args, get_origin, get_type_hints
from uuid import UUID

from sqlalchemy import Row, Table

Config = TypeVar("Config")

_PLAIN: Final = frozenset((str, int, float, bool))


def config_to_json(config: Any) -> dict[str, Any]:
    return {key: _plain(value) for key, value in asdict(config).items()}


def config_from_json(kind: type[Config], stored: dict[str, Any]) -> Config:
    """The value of that type. If a row is older than a field, the field gets its default; a key without a field is
    dropped."""
    hints = _field_types(cast(Hashable, kind))
    known = {key: _value(hints[key], value) for key, value in stored.items() if key in hints}
    return kind(**known)


def value_of(kind: type[Config], row: Row[*tuple[Any, ...]], **others: Any) -> Config:
    """The value of that type, whose fields are the columns of the same names. `others` are fields that no column has; a
    field that is in neither gets its default."""
    stored, fields = row._mapping, _row_fields(cast(Hashable, kind))
    known = {
        name: stored[name] if hint is None else _value(hint, stored[name])
        for name, hint in fields
        if name in stored and name not in others
    }
    return kind(**known, **others)


def row_of(value: object, table: Table) -> dict[str, Any]:
    """The inverse of `value_of`: the columns that are fields of the value."""
    columns = (column.name for column in table.columns if hasattr(value, column.name))
    return {name: _stored(getattr(value, name)) for name in columns}


def _stored(value: Any) -> Any:
    """As columns take it; they convert ids and moments themselves."""
    if is_dataclass(value) and not isinstance(value, type):
        return config_to_json(value)
    if isinstance(value, tuple | list | Mapping):
        return _plain(value)
    return value.value if isinstance(value, Enum) else value


@cache
def _row_fields(kind: Hashable) -> tuple[tuple[str, Any], ...]:
    """Names with types; None if the row has the value itself."""
    plain = (str, int, float, bool, bytes, datetime, date, UUID)
    of_rows = {one for kind in plain for one in (kind, kind | None)}
    return tuple((name, None if hint in of_rows else hint) for name, hint in _field_types(kind).items())


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
    if isinstance(stored, str) and hint is UUID:
        return UUID(stored)
    if isinstance(stored, str) and hint is date:
        return date.fromisoformat(stored)
    return stored


def _plain(value: Any) -> Any:
    if type(value) in _PLAIN:  # most of a turn's trace; the checks below are expensive
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, UUID | date):
        return str(value)
    return value
