"""Declarations of routes on their handlers: attaching and finding them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

Handler = TypeVar("Handler", bound=Callable[..., Any])

_MARK = "__declared__"


def declare(handler: Handler, declaration: object) -> Handler:
    setattr(handler, _MARK, declaration)
    return handler


def declarations(owner: object, **more: object) -> list[Any]:
    """The declarations on the methods of `owner`, in order, each with its bound handler and with `more`."""
    kind: Any = type(owner)
    return [replace(each, handler=each.handler.__get__(owner), **more) for each in _declared(kind)]


@cache
def _declared(kind: type[object]) -> tuple[Any, ...]:
    members = (member for each in reversed(kind.__mro__) for member in vars(each).values())
    found = (getattr(member, _MARK, None) for member in members)
    return tuple(each for each in found if each is not None)
