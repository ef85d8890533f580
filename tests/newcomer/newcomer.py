"""Somebody who has just installed Docent: a home and a virtual environment of their own, and nothing set."""

import fcntl
import os
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

from tests.newcomer.runtime_dependencies import link_into, runtime_distributions

_ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS = 60
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
    """`programs` is the folder of the virtual environment's programs."""

    def __init__(self, home: Path, programs: Path) -> None:
        self.home = home
        self.programs = programs

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        usual = {"HOME": str(self.home), "PATH": f"{self.programs}:/usr/bin:/bin", "LANG": "C.UTF-8"}
        return {**usual, **more}

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
            process.wait(60)

    def _run(self, command: list[str], cwd: Path, environment: Mapping[str, str]) -> Said:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=self.environment(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=420,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)


def install(folder: Path) -> Path:
    """Build the wheel and install it; where its programs are. Its dependencies are linked from those that the tests run
    with. In a folder that has been through this nothing is left to do; of several processes one does it."""
    folder.mkdir(exist_ok=True)
    environment, done = folder / "venv", folder / "done"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            _install(folder, environment)
            done.touch()
    return environment / "bin"


def _install(folder: Path, environment: Path) -> None:
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder / "wheel"), str(_ROOT))
    [wheel] = (folder / "wheel").glob("docent-*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    [site_packages] = environment.glob("lib/python*/site-packages")
    link_into(site_packages, runtime_distributions("docent"))
    python = str(environment / "bin" / "python")
    _pip(python, "install", "--no-deps", str(wheel))
    _pip(python, "check")


def _pip(python: str, *words: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DOCENT_")}
    done = subprocess.run(
        [python, "-m", "pip", "--quiet", *words], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _is_ready(base: str) -> bool:
    try:
        with urllib.request.urlopen(f"{base}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
