"""A shell that runs the blocks of a page one after the other, as a reader pastes them."""

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_ENDED = "__block_has_ended__"
_BLOCK_SECONDS = 500
_END_SECONDS = 300


class BlockFailed(AssertionError):
    """A command of the block did; the message holds what was printed."""


class Terminal:
    """Jobs, variables and functions stay from block to block."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        script, self._script = os.pipe()
        self._bash = subprocess.Popen(
            ["bash", "-m", f"/dev/fd/{script}"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[script],
            text=True,
        )
        os.close(script)
        self._send("trap 'echo a command failed: $BASH_COMMAND; is_failed=1' ERR\n")

    def run(self, code: str, typed: str = "") -> str:
        """What it printed. Raises BlockFailed. `typed` is a line for whoever asks for one."""
        assert self._bash.stdin is not None
        assert self._bash.stdout is not None
        if typed:
            self._bash.stdin.write(f"{typed}\n")
            self._bash.stdin.flush()
        self._send(f"is_failed=0\n{code}\necho {_ENDED} $is_failed\n")
        printed = ""
        too_late = threading.Timer(_BLOCK_SECONDS, self._bash.kill)
        too_late.start()
        try:
            for line in self._bash.stdout:
                before, is_end, failed = line.partition(_ENDED)
                printed += before
                if is_end:
                    if failed.strip() != "0":
                        raise BlockFailed(f"{code}\n{printed}")
                    return printed
        finally:
            too_late.cancel()
        raise BlockFailed(f"the shell ended\n{code}\n{printed}")

    def close(self) -> None:
        os.close(self._script)
        with self._bash:  # closes what it was typed and what it printed into
            self._bash.wait(_END_SECONDS)

    def _send(self, text: str) -> None:
        os.write(self._script, text.encode())


@contextmanager
def second_terminal(code: str, folder: Path, environment: Mapping[str, str], log: Path) -> Iterator[None]:
    """One command that goes on until Ctrl-C is pressed, which happens at the end."""
    with log.open("wb") as written:
        process = subprocess.Popen(
            ["bash", "-c", code],
            cwd=folder,
            env=dict(environment),
            stdout=written,
            stderr=written,
            start_new_session=True,
        )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def said_base(log: Path) -> str | None:
    """Where the server listens, once it says so."""
    found = re.search(r"server\.started\S*\s.*?(http://127\.0\.0\.1:\d+)", log.read_text(errors="replace"))
    return found[1] if found else None
