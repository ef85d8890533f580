"""`python -m tests.security`: every test that docs/security.md names, counted by threat.

Exit code 0 when each threat has cases and all of them pass. Tests in a browser are not run here, but by
`make test-browser` and `make test-operator`.
"""

import sys
from collections import Counter

import pytest

from tests.security.threats import ROOT, Threat, threats

IN_A_BROWSER = ("tests/e2e/", "tests/console/")


class CaseCount:
    """A pytest plugin: how many cases each test function has, and how many of them passed."""

    def __init__(self) -> None:
        self.cases: Counter[tuple[str, str]] = Counter()
        self.passed: Counter[tuple[str, str]] = Counter()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.cases.update(_function(item.nodeid) for item in items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed[_function(report.nodeid)] += 1

    def of(self, threat: Threat) -> tuple[int, int]:
        """Cases and those that passed."""
        return sum(self.cases[test] for test in threat.tests), sum(self.passed[test] for test in threat.tests)


def _function(node_id: str) -> tuple[str, str]:
    path, *_, function = node_id.partition("[")[0].split("::")
    return path, function


def main() -> int:
    rows = [row for row in threats() if not all(path.startswith(IN_A_BROWSER) for path, _ in row.tests)]
    wanted = {f"{path}::{name}" for row in rows for path, name in row.tests if not path.startswith(IN_A_BROWSER)}
    count = CaseCount()
    code = pytest.main(["--rootdir", str(ROOT), "-q", *sorted(wanted)], plugins=[count])
    found = [(row, *count.of(row)) for row in rows]
    width = max(len(f"{row.who}: {row.wants_to}") for row in rows)
    print(f"\n{'threat':{width}}  cases  passed")  # noqa: T201
    for row, cases, passed in found:
        print(f"{row.who + ': ' + row.wants_to:{width}}  {cases:5}  {passed:6}")  # noqa: T201
    total = sum(cases for _, cases, _ in found), sum(passed for _, _, passed in found)
    print(f"{'all':{width}}  {total[0]:5}  {total[1]:6}")  # noqa: T201
    return int(code) or int(any(not 0 < cases == passed for _, cases, passed in found))


if __name__ == "__main__":
    sys.exit(main())
