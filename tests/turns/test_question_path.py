"""How many files of ours one question passes, from the turn's beginning to its receipt."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from tests.doubles.answering_house import answering_house

_APP: Final = str(Path(__file__).parents[2] / "app")
# Whoever lowers the figure lowers this in the same commit: docs/architecture.md, "Ceilings".
_MOST_FILES: Final = 75


@pytest.fixture
def passed() -> Iterator[set[str]]:
    """The files of all functions of `app` that were called since it was last emptied, in all threads that are young."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_APP):
            files.add(frame.f_code.co_filename)

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    yield files
    sys.setprofile(before)
    threading.setprofile(None)


async def test_a_question_passes_no_more_files_than_it_did(passed: set[str], tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        for _ in range(3):  # what is made once, and kept, is made for the first one
            passed.clear()
            await house.ask("How long is the warranty of a lamp?")
        found = sorted(Path(name).relative_to(_APP).as_posix() for name in passed)
    assert any(name.startswith("answers/writing/") for name in found)
    assert any(name.startswith("conversations/records/") for name in found)
    assert len(found) <= _MOST_FILES, "\n".join(found)
