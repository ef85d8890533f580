"""Instantiates objects from the types that their constructors name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, Protocol, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Part = TypeVar("Part")


class Wiring:
    """Makes each part once, when it is first needed, with the parts that its constructor names.

    `given` are existing parts, by the type that constructors name. A parameter with a default, or of a type such as
    `ChatModel | None`, only receives a given part.
    """

    def __init__(self, given: Mapping[Any, object]) -> None:
        self._parts: dict[Any, object] = dict(given)

    def get(self, kind: type[Part]) -> Part:
        """Raises LookupError, which names the missing type and the class that needs it."""
        if kind not in self._parts:
            self._parts[kind] = self.make(kind)
        return cast(Part, self._parts[kind])

    def make(self, kind: type[Part], **own: object) -> Part:
        """A new instance; `own` are its own parameters. Raises LookupError."""
        for want in _wants(cast(Any, kind)):
            if want.name in own:
                continue
            if want.kind in self._parts:
                own[want.name] = self._parts[want.kind]
            elif want.may_be_none and not want.has_default:
                own[want.name] = None
            elif not want.has_default:
                if not _can_be_made(want.kind):
                    raise LookupError(
                        f"{kind.__name__} wants {want.name}: {want.kind}. Give one when the application is opened."
                    )
                own[want.name] = self.get(want.kind)
        return kind(**own)


class _Want(NamedTuple):
    """A parameter of a constructor."""

    name: str
    kind: Any
    may_be_none: bool
    has_default: bool


@cache
def _wants(kind: type[object]) -> tuple[_Want, ...]:
    """Cached, because reading annotations takes longer than the rest of opening an application."""
    types = get_type_hints(kind.__init__)
    return tuple(
        _Want(name, *_without_none(types[name]), has_default=parameter.default is not parameter.empty)
        for name, parameter in inspect.signature(kind).parameters.items()
    )


def _without_none(wanted: Any) -> tuple[Any, bool]:
    if get_origin(wanted) in (Union, UnionType) and NoneType in get_args(wanted):
        return next(each for each in get_args(wanted) if each is not NoneType), True
    return wanted, False


def _can_be_made(wanted: Any) -> bool:
    is_ours = inspect.isclass(wanted) and wanted.__module__ != "builtins"
    return is_ours and Protocol not in wanted.__bases__
