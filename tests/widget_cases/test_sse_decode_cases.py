"""The widget's reader takes network reads as the standard has it, wherever they are cut (needs Node)."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.cases.case_rows import Row, load_rows, parameters, require_known
from tests.widget_cases.widget_code import run_widget

ROWS = [row for row in load_rows("sse_cases.jsonl") if row["kind"] == "decode"]
FIELDS = frozenset(
    {"id", "kind", "chunks_b64", "expected_events", "expected_retry", "why", "note"}
    | {"repeat_last_chunk_b64", "repeat_times", "max_buffer_bytes"}
)
ENDLESS: Row = {
    "id": "endless",
    "kind": "decode",
    "chunks_b64": ["ZGF0YTogYQoKZGF0YTog"],  # data: a, whole, and the begin of another
    "expected_events": [{"event": "message", "data": "a", "id": ""}],
    "expected_retry": None,
    "repeat_last_chunk_b64": "eHh4eHh4eHh4eHh4",
    "repeat_times": 2000,
    "max_buffer_bytes": 4096,
}

Read = Mapping[str, Any]


def _order(row: Row) -> Read:
    require_known(row, FIELDS)
    return {
        "id": row["id"],
        "chunks_b64": row["chunks_b64"],
        "repeat_b64": row.get("repeat_last_chunk_b64", ""),
        "repeat_times": row.get("repeat_times", 0),
        "max_chars": row.get("max_buffer_bytes", 1_000_000),
    }


@pytest.fixture(scope="module")
def read() -> dict[str, Any]:
    """What the widget's reader made of each row, by id."""
    return run_widget("sse", map(_order, [*ROWS, ENDLESS]))


@pytest.mark.parametrize("row", parameters([*ROWS, ENDLESS]))
def test_what_came_over_the_network_is_what_the_widget_reads(row: Row, read: dict[str, Any]) -> None:
    made = read[row["id"]]
    assert made["events"] == row["expected_events"]
    assert made["retry"] == row["expected_retry"]
    assert (made["error"] is not None) == ("max_buffer_bytes" in row)
