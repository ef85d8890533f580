"""What the widget draws of an answer that obeyed an attack runs nothing and fetches nothing (needs Node)."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.cases.case_rows import Row, load_rows
from tests.cases.injection_cases import IN_WIDGET, attack
from tests.widget_cases.widget_code import run_widget

DRAWN = {
    *("p", "h3", "h4", "ul", "ol", "li", "blockquote", "hr", "pre", "code", "strong", "em", "del", "br", "a", "cite"),
    *("task", "table", "thead", "tbody", "tr", "th", "td"),
}  # none of them loads or runs anything
RAW = {"id": "raw", "text": "<img src=x onerror=alert(1)> ![p](https://evil.example/p.gif) [l](javascript:alert(1))"}
CASES = [(name, row) for row in load_rows("injection_pages.jsonl") for name in row["checks"] if name in IN_WIDGET]


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    """What the widget makes of each row's answer, and of every prefix of it, by id."""
    rows = {row["id"]: row for _, row in CASES}
    answers = [{"id": name, "text": asyncio.run(attack(row).output())[0]} for name, row in rows.items()]
    return run_widget("markdown", [*answers, RAW])


@pytest.mark.parametrize(("name", "row"), [pytest.param(*case, id=f"{case[1]['id']} {case[0]}") for case in CASES])
def test_an_obeyed_attack_is_drawn_as_text(name: str, row: Row, drawn: dict[str, Any]) -> None:
    made = drawn[row["id"]]
    assert set(made["tags"]) <= DRAWN, name
    hosts = {urlsplit(link).hostname for link in made["links"]}
    assert hosts <= {urlsplit(source.url).hostname for source in attack(row).sources}, name


def test_without_the_guard_too(drawn: dict[str, Any]) -> None:
    assert set(drawn["raw"]["tags"]) <= DRAWN
    assert drawn["raw"]["links"] == []
