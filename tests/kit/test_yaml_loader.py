"""Plain scalars are what JSON says they are, and none of them takes long to read."""

import json
import time
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.kit.yaml_loader import MAX_DIGITS, YamlLoader
from tests.every_row import every_row


def read(text: str) -> Any:
    return yaml.load(text, Loader=YamlLoader)


@every_row(
    "plain",
    [
        *("9:30", "1:1:1.5", "010", "0x1F", "0b11", "0o17", "1_000", "+5", ".5", "5.", ".inf", "-.inf", ".nan"),
        *("off", "yes", "No", "2027-01-31", "\u0661", "9" * (MAX_DIGITS + 1), "1." + "9" * (MAX_DIGITS + 1)),
    ],
)
def test_what_json_does_not_have_is_a_string(plain: str) -> None:
    assert read(plain) == plain


@every_row(
    ("plain", "value"),
    [("30", 30), ("-1", -1), ("9" * MAX_DIGITS, 10**MAX_DIGITS - 1), ("0.5", 0.5), ("1e3", 1000.0), ("True", True)],
)
def test_what_json_has_is_its_value(plain: str, value: object) -> None:
    assert read(plain) == value
    assert read("[~, null, false]") == [None, None, False]


@given(st.recursive(st.none() | st.booleans() | st.integers(-(10**20) + 1, 10**20 - 1) | st.text("ab:1 ."), st.lists))
def test_json_is_read_as_json(value: object) -> None:
    assert read(json.dumps(value)) == value


@every_row("tag", ["!!int", "!!float"])
@every_row("plain", ["1:1", "010", "0x1F", "x", ".nan", "9" * 5000])
def test_a_tag_does_not_make_a_number_of_it(tag: str, plain: str) -> None:
    with pytest.raises(yaml.constructor.ConstructorError, match="no number of JSON"):
        read(f"{tag} {plain}")


@pytest.mark.parametrize("tag", ["", "!!int ", "!!float "])
@pytest.mark.parametrize("number", ["1" + ":1" * 400_000, "1" + ":1" * 400_000 + ".5", "9" * 800_000])
def test_a_number_without_end_is_read_at_once(tag: str, number: str) -> None:
    """In base 60, this one took 26 seconds of processor time."""
    before = time.process_time()
    try:
        assert read(tag + number) == number
    except yaml.constructor.ConstructorError:
        assert tag
    assert time.process_time() - before < 2
