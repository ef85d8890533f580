"""How bodies are made of values, and values of bodies."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from app.core.setting import at_most, between, required
from app.web.model import Model, Patch
from tests.every_row import every_row


@dataclass(frozen=True)
class Author:
    name: str


@dataclass(frozen=True)
class _Spine:
    title: str
    pages: int


@dataclass(frozen=True)
class _Cover:
    colour: str


@dataclass(frozen=True)
class _Bound:
    cover: _Cover


@dataclass(frozen=True)
class Book:
    title: str
    authors: list[Author]
    name: str = "of the book"


class AuthorOut(Model):
    name: str


class BookOut(Model):
    title: str
    authors: tuple[AuthorOut, ...]


class ShelvedOut(BookOut):
    name: str
    shelf: int


DUNE = Book("Dune", [Author("Herbert")])


def test_a_body_is_made_of_the_attributes_of_its_fields_names() -> None:
    assert BookOut.showing(DUNE) == BookOut(title="Dune", authors=(AuthorOut(name="Herbert"),))


def test_the_first_value_that_has_a_field_gives_it_and_what_is_named_comes_before_all() -> None:
    assert ShelvedOut.showing(DUNE, Author("Herbert"), shelf=3).name == "of the book"
    assert ShelvedOut.showing(Author("Herbert"), DUNE, shelf=3).name == "Herbert"
    assert ShelvedOut.showing(Author("Herbert"), DUNE, name="Frank", shelf=3).name == "Frank"


def test_a_field_that_nothing_gives_is_missed() -> None:
    with pytest.raises(ValidationError, match="shelf"):
        ShelvedOut.showing(DUNE)


def test_a_model_has_the_fields_of_a_value_in_the_order_that_it_names() -> None:
    class LampOut(Model, shows=_Lamp, fields="name watts is_lit"):
        watts: int = Field(description="At full light.")

    schema = LampOut.model_json_schema()["properties"]
    assert {name: field["type"] for name, field in schema.items()} == {
        "name": "string",
        "watts": "integer",
        "is_lit": "boolean",
    }
    assert list(schema) == ["name", "watts", "is_lit"]
    assert [field["description"] for field in schema.values()] == [
        "Of the lamp.",
        "At full light.",
        "Whether it is on.",
    ]
    assert "maxLength" not in schema["name"]
    assert LampOut.showing(_Lamp("desk", 5)).model_dump() == {"name": "desk", "watts": 5, "is_lit": True}


def test_a_model_shows_parts_of_a_value_and_attributes_under_other_names_also_inside_of_others() -> None:
    class LitOut(Model, shows=_Lit, parts="lamp", fields="room light=lamp.watts name is_lit"):
        name: str

    class LitRoomOut(LitOut):
        floor: int

    class HouseOut(Model):
        rooms: tuple[LitOut, ...]

    class NamedOut(Model, shows=_Lit, fields="room=lamp.name"): ...

    lit = _Lit(_Lamp("desk", 5), "study")
    shown = {"room": "study", "light": 5, "name": "desk", "is_lit": True}
    assert LitOut.showing(lit).model_dump() == shown
    assert LitOut.showing(lit, name="table").model_dump() == shown | {"name": "table"}
    assert LitRoomOut.showing(lit, floor=2).model_dump() == shown | {"floor": 2}
    assert NamedOut.showing(lit).model_dump() == {"room": "desk"}
    assert HouseOut.showing(_House([lit])).model_dump() == {"rooms": (shown,)}
    assert list(LitOut.model_json_schema(mode="serialization")["properties"]) == ["room", "light", "name", "is_lit"]
    assert LitOut.model_json_schema()["properties"]["name"]["description"] == "Of the lamp."


def test_a_field_that_no_value_has_is_named() -> None:
    with pytest.raises(TypeError, match="_Lamp has no colour"):

        class LampOut(Model, shows=_Lamp, fields="name colour"): ...


def test_a_value_inside_of_another_is_shown_by_its_model() -> None:
    @dataclass(frozen=True)
    class Shelf:
        books: list[_Spine]
        best: _Spine | None = None
        codes: tuple[str, int] = ("a", 1)

    class SpineOut(Model, shows=_Spine, fields="title"): ...

    class OtherSpineOut(Model, shows=_Spine, fields="title pages"): ...

    class ShelfOut(Model, shows=Shelf, fields="books best codes"): ...

    shelf = Shelf([_Spine("Dune", 412)], _Spine("Emma", 474))
    shown = {"books": ({"title": "Dune"},), "best": {"title": "Emma"}, "codes": ("a", 1)}
    assert ShelfOut.showing(shelf).model_dump() == shown


def test_a_value_without_a_model_is_never_shown_whole() -> None:
    with pytest.raises(TypeError, match="_Cover has no model"):

        class BoundOut(Model, shows=_Bound, fields="cover"): ...


def test_a_body_writes_the_limits_of_its_own_fields_as_a_value_does() -> None:
    class NoteIn(Model):
        text: Annotated[str, required(5, rows=3), "For operators."]
        labels: Annotated[tuple[str, ...], at_most(2, each=3)] = ()
        about: Annotated[str | None, at_most(4)] = None

    text, labels, about = NoteIn.model_json_schema()["properties"].values()
    assert (text["minLength"], text["maxLength"], text["description"]) == (1, 5, "For operators.")
    assert (labels["maxItems"], labels["items"]["maxLength"]) == (2, 3)
    assert about["anyOf"][0]["maxLength"] == 4


@dataclass(frozen=True)
class _Lamp:
    name: Annotated[str, required(10), "Of the lamp."]
    watts: int

    @property
    def is_lit(self) -> Annotated[bool, "Whether it is on."]:
        return self.watts > 0


@dataclass(frozen=True)
class _Lit:
    lamp: _Lamp
    room: str


@dataclass(frozen=True)
class _House:
    rooms: list[_Lit]


@dataclass(frozen=True)
class _Shelf:
    id: int
    name: Annotated[str, required(10), "As on its label."]
    books: Annotated[tuple[str, ...], at_most(2, each=5)] = ()
    height: Annotated[float, between(0.5, 3)] = 2
    notes: Annotated[Mapping[str, Any], at_most(1)] = field(default_factory=dict)


class ShelfIn(Model, takes=_Shelf, fields="name books height notes"):
    height: float = 1


class ShelfPatch(Patch, takes=_Shelf, fields="name books height notes"):
    """Only what is sent changes."""


def test_an_input_takes_the_limits_the_defaults_and_the_meanings_of_a_value() -> None:
    schema = ShelfIn.model_json_schema()
    assert schema["required"] == ["name"]
    assert list(schema["properties"]) == ["name", "books", "height", "notes"]
    name, books, height, notes = schema["properties"].values()
    assert (name["minLength"], name["maxLength"], name["description"]) == (1, 10, "As on its label.")
    assert (books["maxItems"], books["items"], books["default"]) == (
        2,
        {"type": "string", "minLength": 1, "maxLength": 5},
        [],
    )
    assert (height["default"], height["minimum"], height["maximum"]) == (1, 0.5, 3)
    assert notes["maxProperties"] == 1


class ShelfFilter(Model, takes=_Shelf, fields="q=name"): ...


def test_an_input_takes_an_attribute_by_another_name() -> None:
    assert ShelfFilter.model_json_schema()["properties"]["q"]["description"] == "As on its label."
    assert ShelfFilter.model_validate_json('{"q": "A"}').made(_Shelf, id=7) == _Shelf(7, "A")


@dataclass(frozen=True)
class _Loan:
    since: datetime
    back_on: date | None = None


def test_moments_and_days_are_taken_as_they_are_written() -> None:
    class LoanIn(Model, takes=_Loan, fields="since back_on"): ...

    loan = LoanIn.model_validate_json('{"since": "2026-01-31T12:00:00Z", "back_on": "2026-02-28"}').made(_Loan)
    assert loan == _Loan(datetime(2026, 1, 31, 12, tzinfo=UTC), date(2026, 2, 28))
    for wrong in ('{"since": 1769860800}', '{"since": "2026-01-31T12:00:00"}'):
        with pytest.raises(ValidationError, match="since"):
            LoanIn.model_validate_json(wrong)


class LongShelfIn(ShelfIn):
    metres: int


def test_a_model_that_extends_an_input_lists_its_fields_in_the_same_order() -> None:
    assert list(LongShelfIn.model_json_schema()["properties"]) == ["name", "books", "height", "notes", "metres"]


def test_a_patch_requires_nothing_and_hides_its_defaults() -> None:
    schema = ShelfPatch.model_json_schema()
    assert "required" not in schema
    assert schema["description"] == "Only what is sent changes."
    assert schema["properties"]["height"] == {"title": "Height", "type": "number", "minimum": 0.5, "maximum": 3}


@every_row("sent", [{"name": ""}, {"name": "x" * 11}, {"books": ["Dune", ""]}, {"height": 0}])
def test_what_is_outside_of_the_limits_is_refused(sent: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ShelfPatch.model_validate_json(json.dumps(sent))


def test_a_body_makes_the_value_and_a_patch_changes_what_was_sent() -> None:
    shelf = ShelfIn.model_validate_json('{"name": "A", "books": ["Dune"]}').made(_Shelf, id=7)
    assert shelf == _Shelf(7, "A", ("Dune",), 1, {})
    assert ShelfPatch.model_validate_json('{"name": "B"}').applied_to(shelf) == _Shelf(7, "B", ("Dune",), 1, {})
