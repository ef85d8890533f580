"""Limits and settings that are declared once."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated

import pytest

from app.agents.retrieval_settings import Group, RetrievalSettings
from app.core.errors import InvalidInput
from app.core.setting import at_most, check_limits, limits_of, required, setting, settings_of
from tests.every_row import every_row


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


@dataclass(frozen=True, slots=True)
class Box:
    weight: float = setting(1.5, label="Weight", meaning="In kilograms.", group="Box", between=(0, 20))
    size: Size = setting(
        Size.SMALL, label="Size", meaning="Of the box.", group="Box", words={Size.SMALL: "S", Size.LARGE: "L"}
    )
    note: str = ""


def test_a_declaration_is_a_plain_field_with_its_words() -> None:
    assert (Box().weight, Box(weight=3).weight) == (1.5, 3)
    assert list(settings_of(Box)) == ["weight", "size"]
    assert settings_of(Box)["weight"].range == "0 to 20"
    assert settings_of(Box)["size"].range == ""


@pytest.mark.parametrize("weight", [-0.1, 20.1, float("nan")])
def test_a_number_outside_of_its_range_is_named(weight: float) -> None:
    check_limits("box.", Box(weight=20))
    with pytest.raises(InvalidInput, match="Use a value from 0 to 20") as refused:
        check_limits("box.", Box(weight=weight))
    assert refused.value.field == "box.weight"


@dataclass(frozen=True, slots=True)
class Label:
    text: Annotated[str, required(5), "On the box."]
    lines: Annotated[tuple[str, ...], at_most(2, each=3)] = ()
    codes: Annotated[tuple[str, ...], required(2)] = ("x",)


def test_a_field_is_annotated_with_its_limits_and_its_meaning() -> None:
    assert (limits_of(Label)["text"].most, limits_of(Label)["text"].meaning) == (5, "On the box.")
    assert limits_of(Box)["weight"] == settings_of(Box)["weight"]
    assert "note" not in limits_of(Box)


@every_row(
    ("label", "field", "message"),
    [
        (Label(" "), "text", "Enter at least one character"),
        (Label("sixsix"), "text", "Use at most 5"),
        (Label("a\nb"), "text", "one line"),
        (Label("a", ("b", "cdef")), "lines.1", "Use at most 3"),
        (Label("a", ("b", "c", "d")), "lines", "3 entries. Use at most 2"),
        (Label("a", codes=()), "codes", "Enter at least one entry"),
    ],
)
def test_a_value_outside_of_its_limits_is_named_with_the_fix(label: Label, field: str, message: str) -> None:
    check_limits("", Label("a", ("b",)))
    with pytest.raises(InvalidInput, match=message) as refused:
        check_limits("", label)
    assert refused.value.field == field


def test_each_choice_needs_its_words() -> None:
    with pytest.raises(TypeError, match="Size: each choice needs its words"):
        setting(Size.SMALL, label="Size", meaning="", group="", words={Size.SMALL: "S"})


def test_each_setting_of_search_is_declared_in_a_group_within_its_own_range() -> None:
    declared = settings_of(RetrievalSettings)
    assert set(declared) == {each.name for each in fields(RetrievalSettings)} - {"filter"}
    assert {each.group for each in declared.values()} == set(Group)
    for name, value in ((name, getattr(RetrievalSettings(), name)) for name in declared):
        assert isinstance(value, bool | StrEnum) or declared[name].between, name
    RetrievalSettings().check("")
