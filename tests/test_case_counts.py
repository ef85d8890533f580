"""The count of the security cases."""

from types import SimpleNamespace
from typing import Any, cast

from tests.cases.__main__ import RowCount


def _item(node: str, row: object) -> Any:
    return SimpleNamespace(nodeid=f"tests/web/test_sse_cases.py::{node}", callspec=SimpleNamespace(params={"row": row}))


def test_a_folder_that_lacks_a_table_is_counted_all_the_same() -> None:
    count = RowCount()
    count.pytest_collection_modifyitems([_item("a", {"id": "one"}), _item("b", object())])
    for node in "ab":
        report = SimpleNamespace(nodeid=_item(node, None).nodeid, when="call", passed=True, failed=False)
        count.pytest_runtest_logreport(cast("Any", report))
    assert count.held("sse")[0] == 0  # of the folder's own rows, none was run
    assert dict(count._has_held) == {("sse", "one"): True}
