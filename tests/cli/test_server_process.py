"""The demonstration's server as a child process: none is left behind, whenever the command is told to end."""

import signal
import subprocess
import sys
from itertools import count
from typing import Any, Final

import pytest

from app.cli.demo.command import orderly_end, running_server
from app.cli.demo.script import ApiClient

_SERVER: Final = [sys.executable, "-c", "import time; time.sleep(600)"]  # lives until it is ended


def test_sigterm_while_the_server_begins_ends_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def begin(*_: object, **__: Any) -> subprocess.Popen[bytes]:
        begun.append(popen(_SERVER))
        signal.raise_signal(signal.SIGTERM)
        return begun[0]

    monkeypatch.setattr(subprocess, "Popen", begin)
    client = ApiClient("http://127.0.0.1:9", "")
    with pytest.raises(SystemExit) as ended, orderly_end(), running_server(client, {}):
        pytest.fail("the command was to end")
    assert ended.value.code == 128 + signal.SIGTERM
    assert begun[0].returncode == -signal.SIGTERM


def test_a_server_is_waited_for_as_long_as_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: popen(_SERVER))
    seconds = count(0, 100)  # on a machine so busy that each look takes that long
    monkeypatch.setattr("time.monotonic", lambda: float(next(seconds)))
    client = ApiClient("http://127.0.0.1:9", "")
    looks = iter([False, False, True])
    monkeypatch.setattr(client, "is_ready", lambda: next(looks))
    with running_server(client, {}):
        assert next(looks, None) is None
