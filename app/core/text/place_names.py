"""Other names under which a source may speak of a place: "the EU" of Germany, "United States" of the US."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


def other_names(name: str) -> frozenset[str]:
    """Those of a case-folded name, and of the unions that it is a member of."""
    return _names().get(name.removeprefix("the "), frozenset())


def is_member(name: str) -> bool:
    """Of a union."""
    return any(name in members for members in _table()["members"].values())


def union_names() -> frozenset[str]:
    """Every name of every union."""
    return frozenset(name for union in _table()["members"] for name in (union, *other_names(union)))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("places.toml").read_text(encoding="utf-8"))


@cache
def _names() -> dict[str, frozenset[str]]:
    table = _table()
    same = {name: frozenset(names) for names in table["same"] for name in names}
    covered = {
        member: same.get(union, frozenset({union})) for union, members in table["members"].items() for member in members
    }
    return same | covered
