from typing import Any

import pytest
import re2

from app.kit.pattern_matcher import MAX_TEXT_CHARS, PatternMatcher
from tests.every_row import every_row


@every_row(
    ("pattern", "said"),
    [
        pytest.param(r"refunds?|money back", "", id="fine"),
        pytest.param(r"(a+)+$", "", id="slow elsewhere, linear here"),
        pytest.param("[", "missing ]", id="broken"),
        pytest.param("(?=x)a", "Look-around", id="look-around"),
        pytest.param(r"(a)\1", "back-references", id="back-reference"),
        pytest.param(".*(a|b){500}", "too large", id="a large program"),
        pytest.param("(x{1000}){1000}", "repetition", id="a huge one"),
        pytest.param("a*", "empty text", id="matches everything"),
        pytest.param("\ud800", "broken characters", id="half a character"),
    ],
)
def test_what_is_wrong_is_said(pattern: str, said: str) -> None:
    problem = PatternMatcher().problem(pattern)
    assert said in problem if said else problem == ""


@every_row(
    ("pattern", "text", "found"),
    [
        pytest.param("refunds?", "About REFUNDS", True, id="case does not count"),
        pytest.param("ЦЕНА", "какая цена", True, id="in any script"),
        pytest.param("^refund$", "a refund", False, id="anchors hold"),
        pytest.param("z", "a" * MAX_TEXT_CHARS + "z", False, id="only so far"),
        pytest.param("[", "[", False, id="an unusable pattern is found nowhere"),
        pytest.param("ok", "ok \ud800", True, id="a broken text is read as far as it goes"),
        pytest.param("(a+)+$", "a" * (MAX_TEXT_CHARS - 1) + "!", False, id="in linear time"),
    ],
)
async def test_matching(pattern: str, text: str, found: bool) -> None:
    assert await PatternMatcher().matching([pattern], text) == (frozenset({pattern}) if found else frozenset())


async def test_a_longer_text_is_read_as_far_as_it_is_wanted() -> None:
    text = "a" * MAX_TEXT_CHARS + "z"
    assert await PatternMatcher().matching(["z"], text, max_chars=len(text)) == {"z"}


async def test_however_many_there_are_they_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = [rf"order {number}\b" for number in range(1_200)]
    compiled: list[Any] = []
    new = re2.Options

    def options() -> Any:
        compiled.append(new())
        return compiled[-1]

    monkeypatch.setattr(re2, "Options", options)
    assert await PatternMatcher().matching(patterns, "Where is ORDER 7?") == {patterns[7]}
    before = len(compiled)
    assert 0 < before < len(patterns)
    assert await PatternMatcher().matching(patterns, "Where are order 1199 and order 3?") == {
        patterns[1199],
        patterns[3],
    }
    assert len(compiled) == before


async def test_those_that_are_too_large_together_are_found_one_by_one() -> None:
    patterns = [f"{number}(a|bc){{60}}x.*y" for number in range(400)]
    assert await PatternMatcher().matching([*patterns, "["], f"39{'a' * 60}x y") == {patterns[9], patterns[39]}
