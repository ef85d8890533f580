"""Methods of dataclasses that are not compiled for each class.

Until Python 3.13, `dataclass` writes the source of six methods for a frozen class and compiles each on its own. For the
600 classes of a server, that is a fifth of its start.
"""

import dataclasses
import sys
from collections.abc import Callable, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any


def make_dataclass_methods_quickly() -> None:
    """Of classes defined from now on, only `__init__`, which is called most, is compiled, and `<` and its like."""
    if sys.version_info >= (3, 13):
        return
    module: Any = dataclasses
    compiled = module._cmp_fn

    def comparison(name: str, operator: str, own: str, *rest: Any, **named: Any) -> Any:
        if name != "__eq__":
            return compiled(name, operator, own, *rest, **named)
        return _equality([part.removeprefix("self.") for part in own.strip("()").split(",") if part])

    module._cmp_fn = comparison
    module._hash_fn = lambda fields, _: _hash(_names(fields))
    module._repr_fn = lambda fields, _: _representation(_names(fields))
    module._frozen_get_del_attr = lambda cls, fields, _: _refusals(cls, frozenset(_names(fields)))


def _names(fields: Sequence["dataclasses.Field[Any]"]) -> list[str]:
    return [field.name for field in fields]


def _values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    return attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)


def _equality(names: Sequence[str]) -> Callable[[Any, object], Any]:
    values = _values(names)

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(names: Sequence[str]) -> Callable[[Any], int]:
    values = _values(names)

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _representation(names: Sequence[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({values})"

    return __repr__


def _refusals(cls: Any, names: frozenset[str]) -> tuple[Callable[..., None], Callable[..., None]]:
    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:  # noqa: N807
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__
