"""A guide on a site of its own, built by Sphinx with the settings of our documentation. Needs the extra `docs`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.fenced_blocks import ROOT

GUIDE = """# A guide

## Do it

Before.

### In the console

Open **Sources**.

### With the API

Call it.

### Afterwards

After.

## Do another

### On the command line

Alone.

[there](#with-the-api)
"""


def build(folder: Path, **settings: str) -> Path:
    """The page that became of the guide; `settings` are those of `docs/conf.py`."""
    pytest.importorskip("sphinx", reason="needs the extra docs")
    source, site = folder / "source", folder / "site"
    (source / "docs").mkdir(parents=True)
    (source / "docs" / "index.md").write_text("# Docs\n\n## Guides\n\n- [A guide](guide.md)\n")
    (source / "docs" / "guide.md").write_text(GUIDE)
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--conf-dir", str(ROOT / "docs")]
    defined = [f"--define={name}={value}" for name, value in settings.items()]
    subprocess.run([*command, *defined, str(source), str(site)], check=True, timeout=100)
    return site / "docs" / "guide.html"
