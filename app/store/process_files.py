"""Which of this machine's processes have died: each holds a lock on a file of its own, which the system releases with
the process, however it ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_LEFT_BEHIND_SECONDS: Final = 86_400.0


class ProcessFiles:
    """In a folder that processes may share, also those of other machines. A lock is only believed if the running system
    itself made it: others' may be invisible here. Where there are no locks, or no way to name the running system,
    nobody is found dead."""

    def __init__(self, folder: Path, *, boot: Path = _BOOT) -> None:
        self._folder = folder
        self._boot = boot.read_bytes() if boot.exists() else b""

    @contextmanager
    def held(self, process: str) -> Iterator[None]:
        """Says for as long as the block runs that the process of this name is alive."""
        descriptor, path = -1, self._folder / process
        try:
            with suppress(OSError):  # nobody then learns of a death before the silence does
                descriptor = self._locked(path)
            yield
        finally:
            if descriptor >= 0:
                path.unlink(missing_ok=True)
                os.close(descriptor)

    def dead(self) -> list[str]:
        """Names of those that died since this system started and whose file has not been removed."""
        return [each.name for each in self._files() if self._is_dead(each)]

    def remove(self, processes: list[str]) -> None:
        """Files of dead ones; also those that an earlier start of the system left a day ago."""
        for name in processes:
            (self._folder / name).unlink(missing_ok=True)
        for each in self._files():
            with suppress(OSError):
                if each.read_bytes() != self._boot and time.time() - each.stat().st_mtime > _LEFT_BEHIND_SECONDS:
                    each.unlink()

    def _locked(self, path: Path) -> int:
        """The file has its name only once it is locked: without a lock it would be a dead process's."""
        self._folder.mkdir(exist_ok=True)
        new = path.with_name(f".{path.name}")
        descriptor = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(descriptor, self._boot)
            new.rename(path)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def _files(self) -> list[Path]:
        with suppress(OSError):
            return [each for each in self._folder.iterdir() if not each.name.startswith(".")]
        return []

    def _is_dead(self, path: Path) -> bool:
        with suppress(OSError), path.open("rb") as file:
            if self._boot and file.read() == self._boot:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
        return False
