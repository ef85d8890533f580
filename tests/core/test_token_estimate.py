"""Tokens are estimated by script. The figures are those of gpt-tokenizer for o200k and cl100k."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.costs import estimated_tokens
from tests.every_row import every_row


@every_row(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("The Plus plan costs ten euros a month.", 10, id="English"),
        pytest.param("Plus套餐每月收费三点九欧元。", 13, id="Chinese"),
        pytest.param("요금제", 3, id="Korean"),
    ],
)
def test_a_script_has_its_own_length(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@given(st.text(), st.text())
def test_parts_are_never_fewer_than_the_whole(first: str, second: str) -> None:
    assert estimated_tokens(first + second) <= estimated_tokens(first) + estimated_tokens(second)
