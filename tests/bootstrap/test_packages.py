"""Another package adds a feature by its entry point: tests/packages/docent_greetings, as it would be installed."""

import os
import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from app.bootstrap.features import GROUP, features_of
from app.core.errors import Misconfigured
from tests.every_row import every_row

_TESTS = Path(__file__).parents[1]
_PACKAGES = _TESTS / "packages"


def test_a_package_needs_no_change_of_docent() -> None:
    """In a process of its own, because models are made of the declared events once."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "tests/packages/with_greetings.py"],
        cwd=_TESTS.parent,
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        | {"PYTHONPATH": str(_PACKAGES)},
    )
    assert (done.returncode, done.stdout.count(".")) == (0, 1), done.stdout + done.stderr


@every_row(
    ("value", "reason"),
    [
        ("docent_nothing:FEATURE", "cannot be loaded as a feature (docent_nothing:FEATURE): ModuleNotFoundError"),
        ("app.leads:NOTHING", "cannot be loaded as a feature (app.leads:NOTHING): AttributeError"),
        ("app.leads.lead:LEAD_LEFT", "names app.leads.lead:LEAD_LEFT, which is no Feature"),
        ("app.leads:FEATURE", 'has a feature "leads", which is there already'),
    ],
)
def test_a_package_at_fault_is_named_at_the_start(value: str, reason: str) -> None:
    with pytest.raises(Misconfigured) as error:
        features_of([EntryPoint("broken", value, GROUP)])
    assert str(error.value).startswith(f"The package {value.partition(':')[0]} {reason}")


def test_a_package_is_named_as_it_was_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(_PACKAGES))
    [installed] = entry_points(group=GROUP)
    assert installed.dist is not None
    monkeypatch.setattr(EntryPoint, "load", lambda point: None)
    with pytest.raises(Misconfigured, match="The package docent-greetings names docent_greetings"):
        features_of([installed])
