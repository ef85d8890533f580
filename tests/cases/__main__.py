"""`python -m tests.cases`: every row of the security cases, from tests/data/security or the folder DOCENT_CASES names.

The last line is one JSON object: the folder, and for each file how many of its rows hold and how many there are. A row
holds when every test that runs it passes, and at least one does.
"""

import json
import sys
from collections import defaultdict
from typing import Final

import pytest

from tests.cases.case_rows import cases_folder, load_rows

FILES: Final = {
    "ssrf": "ssrf_urls.jsonl",
    "robots": "robots_cases.jsonl",
    "sse": "sse_cases.jsonl",
    "injection": "injection_pages.jsonl",
    "action results": "action_results.jsonl",
    "action arguments": "action_arguments.jsonl",
    "action confirmations": "action_confirmations.jsonl",
}
RUNNERS: Final = {
    "tests/crawler/fetch/test_ssrf_cases.py": "ssrf",
    "tests/crawler/fetch/test_robots_cases.py": "robots",
    "tests/web/test_sse_cases.py": "sse",
    "tests/providers/test_sse_upstream_cases.py": "sse",
    "tests/widget_cases/test_sse_decode_cases.py": "sse",
    "tests/crawler/extract/test_injection_pages.py": "injection",
    "tests/answers/test_injection_cases.py": "injection",
    "tests/answers/test_action_result_cases.py": "action results",
    "tests/actions/test_action_argument_cases.py": "action arguments",
    "tests/actions/test_confirmation_cases.py": "action confirmations",
    "tests/widget_cases/test_rendering_cases.py": "injection",
}


class RowCount:
    """A pytest plugin: which rows were run, and which of them failed somewhere."""

    def __init__(self) -> None:
        self._row_of: dict[str, tuple[str, str]] = {}
        self._has_held: dict[tuple[str, str], bool] = defaultdict(lambda: True)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            row = item.callspec.params.get("row") if hasattr(item, "callspec") else None
            if isinstance(row, dict):  # a table that the folder lacks leaves its test with a marker instead
                self._row_of[item.nodeid] = (RUNNERS[item.nodeid.partition("::")[0]], row["id"])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        row = self._row_of.get(report.nodeid)
        if row is not None and (report.when == "call" or report.failed):
            self._has_held[row] &= report.passed

    def held(self, family: str) -> tuple[int, int]:
        ids = [row["id"] for row in load_rows(FILES[family])]
        return sum(self._has_held.get((family, name), False) for name in ids), len(ids)


def main() -> int:
    count = RowCount()
    code = pytest.main([*RUNNERS], plugins=[count])
    found = {family: count.held(family) for family in FILES}
    print(json.dumps({"dir": str(cases_folder()), **found}))  # noqa: T201
    return int(code) or int(any(passed < total for passed, total in found.values()))


if __name__ == "__main__":
    sys.exit(main())
