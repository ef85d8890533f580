"""How bodies are made of values."""

from dataclasses import dataclass

import pytest
from pydantic import Field, ValidationError

from app.web.model import Model, mirrors


@dataclass(frozen=True)
class Author:
    name: str


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
    assert BookOut.of(DUNE) == BookOut(title="Dune", authors=(AuthorOut(name="Herbert"),))


def test_the_first_value_that_has_a_field_gives_it_and_what_is_named_comes_before_all() -> None:
    assert ShelvedOut.of(DUNE, Author("Herbert"), shelf=3).name == "of the book"
    assert ShelvedOut.of(Author("Herbert"), DUNE, shelf=3).name == "Herbert"
    assert ShelvedOut.of(Author("Herbert"), DUNE, name="Frank", shelf=3).name == "Frank"


def test_a_field_that_nothing_gives_is_missed() -> None:
    with pytest.raises(ValidationError, match="shelf"):
        ShelvedOut.of(DUNE)


def test_a_model_has_the_fields_of_a_value_in_the_order_that_it_names() -> None:
    @mirrors(_Lamp, "name watts is_lit")
    class LampOut(Model):
        watts: int = Field(description="At full light.")

    schema = LampOut.model_json_schema()["properties"]
    assert {name: field["type"] for name, field in schema.items()} == {
        "name": "string",
        "watts": "integer",
        "is_lit": "boolean",
    }
    assert list(schema) == ["name", "watts", "is_lit"]
    assert LampOut.of(_Lamp("desk", 5)).model_dump() == {"name": "desk", "watts": 5, "is_lit": True}


@dataclass(frozen=True)
class _Lamp:
    name: str
    watts: int

    @property
    def is_lit(self) -> bool:
        return self.watts > 0
