"""Things by what people call them: a name or an id, or how one of them begins."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Protocol, TypeVar
from uuid import UUID

from app.core.errors import InvalidInput


class Identified(Protocol):
    @property
    def id(self) -> UUID: ...


Thing = TypeVar("Thing", bound=Identified)


def meant(kind: str, named: str, things: Sequence[Thing], names_of: Callable[[Thing], Sequence[str]]) -> Thing:
    """What was meant: the whole id, else the whole name, else the only one whose name or id begins so; upper and lower
    case are one. Raises InvalidInput that lists the choices."""
    wanted = named.strip().casefold()
    steps: tuple[Callable[[Thing], bool], ...] = (
        lambda thing: str(thing.id) == wanted,
        lambda thing: wanted in _folded(names_of(thing)),
        lambda thing: any(name.startswith(wanted) for name in (*_folded(names_of(thing)), str(thing.id))),
    )
    for fits in steps:
        fitting = [thing for thing in things if wanted and fits(thing)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise InvalidInput(
                "", f"Several {kind}s fit {named!r}; write more of it, or the id:\n{listed(fitting, names_of)}"
            )
    if not things:
        raise InvalidInput("", f"There is no {kind} {named!r}, nor any other yet.")
    spelt = {name.casefold(): name for thing in things for name in names_of(thing) if name}
    near = get_close_matches(wanted, spelt, 1)
    choose = f"Did you mean {spelt[near[0]]}? These are there:" if near else "Choose one of these:"
    raise InvalidInput("", f"There is no {kind} {named!r}. {choose}\n{listed(things, names_of)}")


def listed(things: Sequence[Thing], names_of: Callable[[Thing], Sequence[str]]) -> str:
    """A line each."""
    return "\n".join(f"  {thing.id}  {'  '.join(names_of(thing))}" for thing in things)


def _folded(names: Sequence[str]) -> list[str]:
    return [name.casefold() for name in names if name]
