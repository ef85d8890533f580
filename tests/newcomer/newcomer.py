"""Somebody who has just installed Docent from its wheel: a home of their own, and nothing set."""

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

_ROOT = Path(__file__).resolve().parents[2]
_RELEASES = _ROOT / "docs" / "releases.md"
_START_SECONDS = 300
_NOTHING_SET: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Said:
    """What a command wrote, and its exit code."""

    code: int
    stdout: str
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout + self.stderr


class Newcomer:
    """`home` holds the wheel, `tools` uv and pipx, `programs` those of the environment that Docent is installed in."""

    def __init__(self, home: Path, tools: Path) -> None:
        self.home = home
        self.tools = tools
        self.programs = tools

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        usual = {"HOME": str(self.home), "PATH": f"{self.programs}:{self.tools}:/usr/bin:/bin", "LANG": "C.UTF-8"}
        return {**usual, **more}

    def tool(self, name: str) -> Said:
        """Run the line of docs/releases.md that begins with this tool. It downloads from an index."""
        index = ("PIP_", "UV_", "SSL_", "HTTPS_PROXY")
        reached = {variable: value for variable, value in os.environ.items() if variable.startswith(index)}
        [line] = re.findall(rf"^{name} .+$", _RELEASES.read_text("utf-8"), re.MULTILINE)
        return self._run([str(self.tools / name), *line.split()[1:]], self.home, reached)

    def docent(self, *words: str, cwd: Path | None = None, environment: Mapping[str, str] = _NOTHING_SET) -> Said:
        return self._run([str(self.programs / "docent"), *words], cwd or self.home, environment)

    def shell(self, script: str, environment: Mapping[str, str]) -> Said:
        """Line by line, up to the first command that fails, which is named."""
        strict = "set -euo pipefail\ntrap 'echo \"failed: $BASH_COMMAND\" >&2' ERR\n"
        return self._run(["bash", "-c", strict + script], self.home, environment)

    @contextmanager
    def serving(self, port: int, environment: Mapping[str, str] = _NOTHING_SET) -> Iterator[str]:
        """`docent serve --with-worker` until the block is left; gives its address once it is ready."""
        base = f"http://127.0.0.1:{port}"
        command = [str(self.programs / "docent"), "serve", "--with-worker", "--port", str(port)]
        with (self.home / "serve.log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=self.home, env=self.environment(environment), stdout=log, stderr=log
            )
        try:
            deadline = time.monotonic() + _START_SECONDS
            while not _is_ready(base):
                assert process.poll() is None, (self.home / "serve.log").read_text()
                assert time.monotonic() < deadline, (self.home / "serve.log").read_text()
                time.sleep(0.1)
            yield base
        finally:
            process.terminate()
            process.wait(120)

    def _run(self, command: list[str], cwd: Path, environment: Mapping[str, str]) -> Said:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=self.environment(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)


def install(folder: Path) -> Newcomer:
    """Build the wheel, and install it by the lines of docs/releases.md: with pipx, from an index."""
    home, tools = folder / "home", folder / "tools"
    home.mkdir()
    _pip("wheel", "--no-deps", "--wheel-dir", str(home), str(_ROOT))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tools)], check=True)
    _pip("--python", str(tools / "bin/python"), "install", "uv", "pipx")
    newcomer = Newcomer(home, tools / "bin")
    done = newcomer.tool("pipx")
    assert done.code == 0, done.text
    newcomer.programs = (home / ".local/bin/docent").resolve().parent
    return newcomer


def _pip(*words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "--quiet", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _is_ready(base: str) -> bool:
    try:
        with urllib.request.urlopen(f"{base}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
