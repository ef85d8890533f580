"""A kind of source is one module and its entry in the list."""

import os
import subprocess
import sys
from pathlib import Path

from app.sources import kinds

_FOLDER = Path(kinds.__file__).parent
_ROOT = _FOLDER.parents[2]


def test_each_module_of_the_folder_is_a_kind_in_the_list() -> None:
    families = {"__init__", "website"}
    modules = {path.stem for path in _FOLDER.glob("*.py")} - families
    assert {kind.value for kind in kinds.KINDS} == modules
    assert all(getattr(kinds, kind.value.upper()) is kind for kind in kinds.KINDS)


def test_another_kind_needs_no_other_change() -> None:
    """In a process of its own, because the API is made of the list once."""
    cases = ["tests/web/console/with_notes_kind.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "tests.sources.notes_kind", *cases],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
    )
    assert (done.returncode, done.stdout.count(".")) == (0, 4), done.stdout + done.stderr
