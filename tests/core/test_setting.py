"""Settings that are declared once."""

from dataclasses import dataclass, fields
from enum import StrEnum

import pytest

from app.agents.retrieval_settings import Group, RetrievalSettings
from app.core.errors import InvalidInput
from app.core.setting import check_settings, setting, settings_of


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
    check_settings("box.", Box(weight=20))
    with pytest.raises(InvalidInput, match="Use a value from 0 to 20") as refused:
        check_settings("box.", Box(weight=weight))
    assert refused.value.field == "box.weight"


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
