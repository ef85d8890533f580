"""Builds the Dockerfile, each of its lines, without a container engine and without a registry: `apt install buildah
mmdebstrap`. A machine without these fails the tests.

In the place of the image that it begins with stands a root of Debian 12 with Debian's own Python 3.11. Wheels, Debian
packages and that root are kept in a cache folder; the lock's hashes hold for wheels from there as well.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "docent-image"
BASE = "docker.io/library/python:3.11-slim-bookworm"
RUNTIME = "runtime"
_RUNTIME_TAG = f"localhost/docent:{RUNTIME}"
_BASE_PACKAGES = "python3,python3-venv,python-is-python3"
_PIP_CONF = "[global]\nno-index = true\nfind-links = /wheels\n"
_BUILD_SECONDS = 1_800


@dataclass(frozen=True, slots=True)
class Image:
    """`root` is its file system, `config` what the Dockerfile says beside it, as OCI names it."""

    root: Path
    config: dict[str, Any]
    health_check: Sequence[str]

    @property
    def command(self) -> list[str]:
        return [*(self.config.get("Entrypoint") or ()), *self.config["Cmd"]]

    @property
    def environment(self) -> dict[str, str]:
        return dict(each.split("=", 1) for each in self.config["Env"])


def build() -> None:
    """All stages up to the one named runtime, which the last ones only say something more of."""
    CACHE.mkdir(parents=True, exist_ok=True)
    _provide_base()
    wheels, settings = _provided_wheels(), CACHE / "pip.conf"
    settings.write_text(_PIP_CONF)
    volumes = [f"--volume={wheels}:/wheels:ro", f"--volume={settings}:/etc/pip.conf:ro"]
    _bud(f"--target={RUNTIME}", f"--tag={_RUNTIME_TAG}", *volumes, str(ROOT))
    _buildah("rmi", "--prune")


@contextmanager
def stage(name: str = "") -> Iterator[Image]:
    """The last stage of the Dockerfile, or the one that has this name; after `build`."""
    with TemporaryDirectory() as folder:
        dockerfile = Path(folder, "Dockerfile")
        dockerfile.write_text(_lines_of(name).replace(f"FROM {RUNTIME}", f"FROM {_RUNTIME_TAG}", 1))
        tag = f"localhost/docent:{name or 'last'}"
        _bud(f"--file={dockerfile}", f"--tag={tag}", folder)
    inspected = json.loads(_buildah("inspect", "--type=image", tag))
    docker = inspected["Docker"]["config"]
    container = _buildah("from", "--pull-never", tag).strip()
    try:
        root = Path(_buildah("mount", container).strip())
        yield Image(root, inspected["OCIv1"]["config"], docker["Healthcheck"]["Test"][1:])
    finally:
        _buildah("rm", container)


def _lines_of(name: str) -> str:
    """Of a stage that begins with the runtime's."""
    stages = re.split(r"^(?=FROM )", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    beginning = f"FROM {RUNTIME} AS {name}\n" if name else f"FROM {RUNTIME}\n"
    [found] = [each for each in stages if each.startswith(beginning)]
    assert name or found == stages[-1]
    return found


def _bud(*options: str) -> None:
    _buildah("bud", f"--build-arg=BASE={BASE}", "--isolation=chroot", "--pull-never", "--format=docker", *options)


def _provide_base() -> None:
    if _run([*_STORED, "images", "--quiet", BASE], may_fail=True).strip():
        return
    archive = CACHE / "base.tar"
    if not archive.exists():
        unfinished = archive.with_suffix(".unfinished.tar")
        _run(["mmdebstrap", "--variant=minbase", f"--include={_BASE_PACKAGES}", "bookworm", str(unfinished)])
        unfinished.rename(archive)
    container = _buildah("from", "scratch").strip()
    _buildah("add", "--quiet", container, str(archive), "/")
    _buildah("config", "--env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container)
    _buildah("commit", "--quiet", "--rm", container, BASE)


def _provided_wheels() -> Path:
    wheels = CACHE / "wheels"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    hashed = ["--require-hashes", "--only-binary=:all:", "--requirement", str(ROOT / "requirements.lock")]
    _run([*pip, *hashed, "--find-links", str(wheels), "--dest", str(wheels)])
    return wheels


_STORED = ["buildah", f"--root={CACHE / 'storage'}", f"--runroot={CACHE / 'run'}"]


def _buildah(*words: str) -> str:
    return _run([*_STORED, *words])


def _run(command: Sequence[str], may_fail: bool = False) -> str:
    """What it printed. A failure shows what it said last."""
    assert shutil.which(command[0]), f"{command[0]} is not installed: apt install buildah mmdebstrap"
    ended = subprocess.run(command, capture_output=True, text=True, timeout=_BUILD_SECONDS, cwd=ROOT)
    assert may_fail or ended.returncode == 0, f"{command}\n{ended.stdout[-3000:]}\n{ended.stderr[-5000:]}"
    return ended.stdout
