import pytest

from tests.cases.case_rows import Row, load_rows, parameters
from tests.cases.robots_cases import run_fetch_row, run_match_row

ROWS = load_rows("robots_cases.jsonl")


def test_every_row_is_of_a_kind_that_is_run() -> None:
    assert {row["kind"] for row in ROWS} <= {"match", "fetch"}


@pytest.mark.parametrize("row", parameters([row for row in ROWS if row["kind"] == "match"]))
def test_a_rule_allows_or_denies_as_the_standard_says(row: Row) -> None:
    run_match_row(row)


@pytest.mark.parametrize("row", parameters([row for row in ROWS if row["kind"] == "fetch"]))
async def test_what_becomes_of_robots_txt_decides_the_policy(row: Row) -> None:
    await run_fetch_row(row)
