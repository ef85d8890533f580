"""Quickly made methods of dataclasses do what the compiled ones do."""

import dataclasses
import sys
from dataclasses import FrozenInstanceError, dataclass, field, replace
from pickle import dumps, loads
from typing import Any

import pytest

from app.kit.dataclass_methods import make_dataclass_methods_quickly

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 13), reason="Python makes them in one piece")


@pytest.fixture(params=[False, True], ids=["as Python makes them", "made quickly"])
def classes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[type, ...]:
    for name in ("_cmp_fn", "_hash_fn", "_repr_fn", "_frozen_get_del_attr"):
        monkeypatch.setattr(dataclasses, name, getattr(dataclasses, name))
    if request.param:
        make_dataclass_methods_quickly()

    @dataclass(frozen=True, slots=True)
    class Station:
        name: str
        heights: tuple[int, ...] = ()
        secret: str = field(default="", repr=False)
        seen: list[Any] = field(default_factory=list, compare=False)

    @dataclass(frozen=True, order=True)
    class Single:
        value: float

    @dataclass
    class Empty:
        pass

    monkeypatch.setitem(globals(), "Station", Station)
    Station.__qualname__ = "Station"
    return Station, Single, Empty


def test_they_are_equal_and_hashed_by_what_is_compared(classes: tuple[Any, ...]) -> None:
    station, single, empty = classes
    assert station("A", (1,), seen=[1]) == station("A", (1,), seen=[2])
    assert hash(station("A", (1,))) == hash(station("A", (1,), seen=[2])) == hash(("A", (1,), ""))
    assert station("A") != station("A", secret="b") != "A"
    not_a_number = float("nan")
    assert single(not_a_number) == single(not_a_number)
    assert single(1.0) < single(2.0)
    assert empty() == empty()
    assert empty() != single(1.0)


def test_they_are_written_out_without_what_is_left_out(classes: tuple[Any, ...]) -> None:
    station, _, empty = classes
    looped = station("A", secret="hidden")
    looped.seen.append(looped)
    assert repr(looped) == "Station(name='A', heights=(), seen=[...])"
    assert repr(empty()).endswith("Empty()")


def test_frozen_ones_refuse_changes(classes: tuple[Any, ...]) -> None:
    station, single, _ = classes
    for refused, name in ((station("A"), "name"), (single(1.0), "value"), (single(1.0), "other")):
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(refused, name, "B")
        with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
            delattr(refused, name)

    class Named(single):  # type: ignore[misc, valid-type]
        pass

    named = Named(1.0)
    named.name = "free"
    del named.name
    with pytest.raises(FrozenInstanceError):
        named.value = 2.0


def test_they_are_copied_and_pickled(classes: tuple[Any, ...]) -> None:
    station = classes[0]
    assert replace(station("A"), name="B") == station("B") == loads(dumps(station("B")))
