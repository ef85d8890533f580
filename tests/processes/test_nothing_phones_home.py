"""Our commands as operators run them, native libraries and child processes included, watched by strace: what they look
up, whom they talk to, and where they write."""

import ipaddress
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.providers.onnx_session import load_onnxruntime
from app.settings import read_settings
from tests.system.conftest import learnt_agent

ROOT = Path(__file__).resolve().parents[2]

_CALLS = "connect,sendto,sendmsg,sendmmsg,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat"
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|^\d+ +(?:creat|mkdir|rename|link)")
_PATH = re.compile(r'(?:<([^>"]*)>, )?"([^"]*)"')
_PEER = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')


@dataclass(frozen=True, slots=True)
class Watched:
    """One run. `calls` are lines of strace, each with its process; paths behind a `<` are those of descriptors."""

    output: str
    calls: list[str]
    folder: Path

    def talks(self) -> Iterator[str]:
        for call in self.calls:
            peers = [ipaddress.ip_address(v4 or v6) for v4, v6 in _PEER.findall(call)]
            if "htons(53)" in call or "/etc/resolv.conf" in call or not all(peer.is_loopback for peer in peers):
                yield call

    def writes_outside(self, allowed: Path) -> Iterator[str]:
        for call in self.calls:
            if not _WRITES.search(call):
                continue
            for folder, name in _PATH.findall(call):
                path = Path(folder or self.folder, name)
                if not path.is_relative_to(allowed) and not path.is_relative_to("/dev"):
                    yield call


def watched(folder: Path, data: Path, *words: str) -> Watched:
    """Home, working directory and temporary files are folders of their own below `folder`."""
    places = {name: folder / name for name in ("home", "work", "tmp")}
    for place in places.values():
        place.mkdir()
    trace = folder / "trace"
    environment = os.environ | {
        "HOME": str(places["home"]),
        "TMPDIR": str(places["tmp"]),
        "DOCENT_DATA": str(data),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",  # which an installed package has been through
    }
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        environment.pop(name, None)
    strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-y", "-s", "300"]  # only the calls named here stop a process
    strace += ["-e", f"trace={_CALLS}", "-e", "signal=none", "-o", str(trace)]
    ended = subprocess.run(
        [*strace, sys.executable, "-m", "app.cli", *words],
        cwd=places["work"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert [*places["home"].iterdir(), *places["work"].iterdir()] == []
    return Watched(ended.stdout, trace.read_text(errors="replace").splitlines(), places["work"])


@pytest.mark.parametrize("words", [("doctor",), ("ask", "How long may I return a lamp?")], ids=lambda words: words[0])
async def test_a_command_looks_up_no_name_and_writes_to_the_data_folder_alone(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    data = tmp_path / "data"
    agent_id = await learnt_agent(read_settings(data=data))
    more = ("--agent", agent_id) if words[0] == "ask" else ()
    run = watched(tmp_path, data, *words, *more)
    assert "lamp" in run.output or "No problems found" in run.output
    assert list(run.talks()) == []
    assert list(run.writes_outside(data)) == []


def test_neither_do_the_demo_its_web_process_and_its_worker(tmp_path: Path) -> None:
    """It starts `docent serve --with-worker`, crawls, embeds, indexes, ranks and answers; its data is a temporary
    folder."""
    run = watched(tmp_path, tmp_path / "unused", "demo", "--once", "--json")
    assert '"answered_by": "extractive"' in run.output
    assert list(run.talks()) == []
    assert list(run.writes_outside(tmp_path / "tmp")) == []


def test_onnxruntime_is_loaded_in_one_place_which_has_switched_its_telemetry_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    load_onnxruntime()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
    importing = re.compile(r"^\s*(?:import|from) onnxruntime", re.MULTILINE)
    loaders = [
        str(path.relative_to(ROOT))
        for room in ("app", "crawler", "bench")
        for path in (ROOT / room).rglob("*.py")
        if importing.search(path.read_text(encoding="utf-8"))
    ]
    assert loaders == ["app/providers/onnx_session.py"]
