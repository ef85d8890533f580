"""docs/reference/log-events.md lists every event of the log by its name and level, and no other."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_PAGE: Final = (_ROOT / "docs" / "reference" / "log-events.md").read_text("utf-8")
_ROW: Final = re.compile(r"^\| `(\S+)` \| ([a-z, ]+) \| \S.*\|$", re.MULTILINE)
_CALL: Final = re.compile(r'\b_?log\.(info|warning|error|exception)\(\s*"([^"]+)"(?: if [^"]+ else "([^"]+)")?')


def _logged() -> dict[str, set[str]]:
    """The levels of each event in the code; an exception is an error with its traceback."""
    levels: dict[str, set[str]] = defaultdict(set)
    for path in (_ROOT / "app").rglob("*.py"):
        for method, *events in _CALL.findall(path.read_text("utf-8")):
            for event in filter(None, events):
                levels[event].add("error" if method == "exception" else method)
    return levels


def test_every_event_of_the_log_is_listed_with_its_level() -> None:
    assert {event: set(levels.split(", ")) for event, levels in _ROW.findall(_PAGE)} == _logged()


def test_events_say_what_happened_to_whom() -> None:
    assert [event for event in _logged() if not re.fullmatch(r"[a-z_]+\.[a-z_]+", event)] == []
