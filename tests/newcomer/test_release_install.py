"""The lines of docs/releases.md that install a release, with uv and pipx as people have them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.newcomer.newcomer import _ROOT

_PAGE = (_ROOT / "docs" / "releases.md").read_text("utf-8")
_LINES = dict(re.findall(r"^((?:uvx|pipx)) (.+)$", _PAGE, re.MULTILINE))

pytestmark = pytest.mark.timeout(1200)  # each installs all of it from the index


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel alone, and next to it a virtual environment with both tools."""
    folder = tmp_path_factory.mktemp("release")
    pip = [sys.executable, "-m", "pip", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder / "files"), str(_ROOT)], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "tools")], check=True)
    subprocess.run([str(folder / "tools/bin/python"), "-m", "pip", "--quiet", "install", "uv", "pipx"], check=True)
    return folder / "files"


def run(release: Path, home: Path, command: str) -> str:
    tools = release.parent / "tools" / "bin"
    index = ("PIP_", "UV_", "SSL_", "HTTPS_PROXY")
    own = {name: value for name, value in os.environ.items() if name.startswith(index)}
    own |= {"HOME": str(home), "PATH": f"{home}/.local/bin:{tools}:/usr/bin:/bin", "DOCENT_DATA": str(home / "data")}
    done = subprocess.run(
        command, shell=True, cwd=release, env=own, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_uvx_runs_the_demonstration_from_the_wheel(release: Path, tmp_path: Path) -> None:
    shown = run(release, tmp_path, f"uvx {_LINES['uvx']}")
    assert "warranty" in shown


def test_pipx_installs_the_command(release: Path, tmp_path: Path) -> None:
    run(release, tmp_path, f"pipx {_LINES['pipx']}")
    assert run(release, tmp_path, "docent --version") == f"docent {_version()}\n"


def _version() -> str:
    [wheel] = re.findall(r"docent-(\d+\.\d+\.\d+)-py3", _LINES["pipx"])
    return str(wheel)
