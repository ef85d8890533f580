"""A kind of source is a value in a module of the folder, and its entry in the list."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from app.sources import kinds
from app.sources.source import SourceKind

_FOLDER = Path(kinds.__file__).parent
_ROOT = _FOLDER.parents[2]


def test_each_kind_of_the_folder_is_in_the_list() -> None:
    modules = [import_module(f"{kinds.__name__}.{path.stem}") for path in _FOLDER.glob("*.py")]
    declared = {value for module in modules for value in vars(module).values() if isinstance(value, SourceKind)}
    assert declared == set(kinds.KINDS)
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
