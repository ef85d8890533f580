"""Puts objects together by the types that their constructors name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Part = TypeVar("Part")


class Wiring:
    """Makes each part once, when it is first wanted, with the parts that its constructor names.

    `given` are those that are there already, by the type that others name. A parameter with a default, or of a type
    such as `ChatModel | None`, is filled only with what was given.
    """

    def __init__(self, given: Mapping[Any, object]) -> None:
        self._parts: dict[Any, object] = dict(given)

    def get(self, kind: type[Part]) -> Part:
        """Raises LookupError, which names what is missing and who wants it."""
        if kind not in self._parts:
            self._parts[kind] = self.make(kind)
        return cast(Part, self._parts[kind])

    def make(self, kind: type[Part], **own: object) -> Part:
        """A new one; `own` are parameters that only it has. Raises LookupError."""
        types = get_type_hints(kind.__init__)
        for name, parameter in inspect.signature(kind).parameters.items():
            wanted, may_be_none = _without_none(types[name])
            if name in own:
                continue
            if wanted in self._parts:
                own[name] = self._parts[wanted]
            elif may_be_none and parameter.default is parameter.empty:
                own[name] = None
            elif parameter.default is parameter.empty:
                if not _can_be_made(wanted):
                    raise LookupError(
                        f"{kind.__name__} wants {name}: {wanted}. Give one when the application is opened."
                    )
                own[name] = self.get(wanted)
        return kind(**own)


def _without_none(wanted: Any) -> tuple[Any, bool]:
    if get_origin(wanted) in (Union, UnionType) and NoneType in get_args(wanted):
        return next(each for each in get_args(wanted) if each is not NoneType), True
    return wanted, False


def _can_be_made(wanted: Any) -> bool:
    is_ours = inspect.isclass(wanted) and wanted.__module__ != "builtins"
    return is_ours and not getattr(wanted, "_is_protocol", False)
