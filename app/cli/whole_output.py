"""Standard output that arrives whole. Whoever starts a command may hand it a pipe that does not block, and Python drops
what does not fit into such a pipe at once."""

import io
import os
import select
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer


class _PatientFile(io.RawIOBase):
    """Waits for its reader, whether or not the descriptor blocks; the flag stays, because others may share it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        return True

    def write(self, data: "Buffer") -> int:
        while True:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                select.select([], [self._descriptor], [])


def wait_for_readers() -> None:
    """From now on, stdout and stderr lose nothing to a reader that is slow."""
    for name in ("stdout", "stderr"):
        given = getattr(sys, name)
        if isinstance(given, io.TextIOWrapper):
            whole = io.BufferedWriter(_PatientFile(given.fileno()))
            patient = io.TextIOWrapper(whole, given.encoding, given.errors, line_buffering=given.line_buffering)
            setattr(sys, name, patient)
