"""The real tools, each in a folder outside of the repository that is kept from run to run.

npm packages are resolved as they stood on a day, so that a run of next year installs the same.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "docent-recipes"
DAY = "2026-11-23"
SECONDS = 600
VITEPRESS_PACKAGES = ("vitepress@1.6.4", "vue@3.5.45", "vitepress-plugin-llms@1.14.0")
_PYTHON_BUILDERS = ("mkdocs==1.6.1", "mkdocs-material==9.8.1", "mkdocs-llmstxt==0.5.1", "sphinx==9.0.4")


def run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    """What it printed. Programs that report home are told not to."""
    quiet = {"CI": "1", "NEXT_TELEMETRY_DISABLED": "1", "DO_NOT_TRACK": "1", "DOCUSAURUS_NO_PERSISTENT_CACHE": "1"}
    told = {**os.environ, **quiet, **(environment or {})}
    ended = subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True, timeout=SECONDS)
    assert ended.returncode == 0, (ended.stdout + ended.stderr)[-4000:]
    return ended.stdout


@contextmanager
def npm_project(*packages: str) -> Iterator[Path]:
    """An empty folder whose scripts find these packages, which run nothing of their own as they are installed."""
    folder = _kept(packages)
    if not folder.is_dir():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        (part / "package.json").write_text('{"private": true}')
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--loglevel=error"]
        run(["npm", "install", *quiet, f"--before={DAY}", *packages], part)
        part.rename(folder)
    # Beside the packages and not a link to them: bundlers refuse what leads out of their folder.
    with TemporaryDirectory(prefix="project-", dir=folder) as project:
        yield Path(project)


def python_programs() -> Path:
    """The `bin` of an environment with the builders that are written in Python."""
    folder = _kept(_PYTHON_BUILDERS)
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        run([sys.executable, "-m", "venv", "--without-pip", str(folder)], Path())
        run([sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet", *_PYTHON_BUILDERS], folder)
        (folder / "complete").touch()
    return folder / "bin"


def _kept(packages: tuple[str, ...]) -> Path:
    name = packages[0].strip("@").split("@")[0].split("==")[0].replace("/", "-")
    digest = hashlib.sha256("\n".join((DAY, sys.version, *packages)).encode()).hexdigest()
    CACHE.mkdir(parents=True, exist_ok=True)
    return CACHE / f"{name}-{digest[:12]}"
