"""A page that gives orders: they stay data in the prompt, and an answer that obeys them leaves harmless."""

import pytest

from tests.cases.case_rows import Row, load_rows
from tests.cases.injection_cases import CHECKS, IN_WIDGET, run_check

ROWS = load_rows("injection_pages.jsonl")


def test_every_check_that_a_row_names_is_known() -> None:
    assert {name for row in ROWS for name in row["checks"]} <= CHECKS.keys() | IN_WIDGET


@pytest.mark.parametrize(
    ("name", "row"),
    [
        pytest.param(name, row, id=f"{row['id']} {name}")
        for row in ROWS
        for name in row["checks"]
        if name not in IN_WIDGET
    ],
)
async def test_the_check_of_the_case_holds(name: str, row: Row) -> None:
    await run_check(name, row)


@pytest.mark.parametrize("name", sorted(CHECKS.keys() - {"ingest.hidden_dropped", "control.answerable"}))
async def test_every_check_runs_on_an_attack_in_plain_sight(name: str) -> None:
    [row] = [row for row in ROWS if row["id"] == "inj-v-001"] or ROWS[:1]
    await run_check(name, row)
