"""Instantiates objects from the types that their constructors name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    NamedTuple,
    Protocol,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    from typing_extensions import TypeForm

Part = TypeVar("Part")


class Parts(dict[Any, object]):
    """Existing parts for a `Wiring`, by the type that constructors name. None means that there is no such part."""

    def bind(self, kind: TypeForm[Part]) -> Binding[Part]:
        """`bind(kind).to(part)` sets a part. In two steps, so that `kind` alone decides which parts fit: for
        `bind(kind, part)`, a type checker would accept any type that both have in common."""
        return Binding(self, kind)


@dataclass(frozen=True, slots=True)
class Binding(Generic[Part]):
    """`parts.bind(Clock).to(clock)`."""

    parts: Parts
    kind: TypeForm[Part]

    def to(self, part: Part) -> None:
        self.parts[self.kind] = part

    def to_optional(self, part: Part | None) -> None:
        """Set a part or None. LookupError is raised for constructors that name its type without `... | None`."""
        self.parts[self.kind] = part


@dataclass_transform(eq_default=False)
class Wired:
    """A class for a `Wiring` to create: its annotated attributes are the parameters of its constructor, in order."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False, repr=False)(cls)


class Wiring:
    """Creates each part once, when it is first needed, from the parts that its constructor names.

    `given` are existing parts by type; None for a type means that there is no such part. A parameter with a default
    keeps it. One of a type such as `ChatModel | None` needs an entry, even if that is None: otherwise a forgotten part
    would turn a feature off silently. `fills` has the implementing class for each port.
    """

    def __init__(self, given: Mapping[Any, object], fills: Mapping[Any, type[object]] | None = None) -> None:
        self.given = MappingProxyType(dict(given))
        self._fills = fills or {}
        self._parts: dict[Any, object] = dict(given)

    @property
    def made(self) -> frozenset[type]:
        """The classes of the parts that were created, not given."""
        return frozenset(self._parts.keys() - self.given.keys())

    def get(self, kind: TypeForm[Part]) -> Part:
        """The part of this type, created if necessary. Raises LookupError, which names the missing type and the class
        that needs it."""
        if kind not in self._parts:
            filling = self._fills.get(kind)
            self._parts[kind] = self.get(filling) if filling else self.make(cast(type[Part], kind))
        return cast(Part, self._parts[kind])

    def make(self, kind: type[Part], **own: object) -> Part:
        """Create a new instance; `own` are arguments for its constructor. Raises LookupError."""
        for want in _wants(cast(Any, kind)):
            if want.name not in own:
                own[want.name] = self._wanted(kind, want)
        return kind(**own)

    def _wanted(self, kind: type[object], want: _Want) -> object:
        is_known = want.kind in self._parts
        if not is_known and (want.can_be_made or want.kind in self._fills):
            return self.get(want.kind)
        part = self._parts.get(want.kind)
        if not is_known or (part is None and not want.may_be_none):
            raise LookupError(
                f"{kind.__name__} wants {want.name}: {want.kind}. Give one when the application is opened"
                + (", or None." if want.may_be_none else ".")
            )
        return part


class _Want(NamedTuple):
    """A parameter of a constructor, without a default."""

    name: str
    kind: Any
    may_be_none: bool
    can_be_made: bool


@cache
def _wants(kind: type[object]) -> tuple[_Want, ...]:
    """Cached, because reading annotations takes longer than the rest of opening an application."""
    types = get_type_hints(kind.__init__)
    return tuple(
        _want(name, types[name], by=kind)
        for name, parameter in inspect.signature(kind).parameters.items()
        if parameter.default is parameter.empty
    )


def _want(name: str, wanted: Any, by: type[object]) -> _Want:
    if get_origin(wanted) in (Union, UnionType) and NoneType in get_args(wanted):
        return _Want(name, next(each for each in get_args(wanted) if each is not NoneType), True, False)
    return _Want(name, wanted, False, _can_be_made(wanted, by))


def _can_be_made(wanted: Any, by: type[object]) -> bool:
    """Whether a new instance is as good as any other: not for ports, classes of other packages, and dataclasses with
    defaults, which stand for a choice."""
    if not inspect.isclass(wanted) or Protocol in wanted.__bases__ or _package(wanted) != _package(by):
        return False
    return not (is_dataclass(wanted) and any(each.default is not MISSING for each in fields(wanted)))


def _package(kind: type[object]) -> str:
    return kind.__module__.partition(".")[0]
