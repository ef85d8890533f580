"""The secret key of an installation without a configured one: a file next to its data, readable by its owner alone."""

import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path

from app.core.errors import SecretsLocked
from app.store.secret_keys import new_key, read_key


class SecretKeyFile:
    """One key per line; the first one seals. Created when it is first read; processes that start together
    create one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[bytes]:
        """Raises SecretsLocked if the file holds anything else."""
        if not self._path.exists():
            self._make()
        try:
            return [read_key(line) for line in self._lines()] or [read_key("")]
        except ValueError as error:
            raise SecretsLocked(f"{self._path}: {error}. Restore the file from its backup.") from error

    def prepend(self) -> None:
        """The new key seals from now on; those before it still open."""
        self.read()
        self._replace([new_key(), *self._lines()])

    def keep_first(self) -> None:
        """Call this once nothing is sealed with the other keys any more."""
        self._replace(self._lines()[:1])

    def is_open_to_others(self) -> bool:
        """Whether other accounts of this machine can read it."""
        return bool(self._path.exists() and stat.S_IMODE(self._path.stat().st_mode) & 0o077)

    def _lines(self) -> list[str]:
        return self._path.read_text("ascii", errors="replace").split()

    def _make(self) -> None:
        written = self._written([new_key()])
        try:
            os.link(written, self._path)  # fails if another process was first
        except FileExistsError:
            pass
        finally:
            written.unlink()

    def _replace(self, lines: Sequence[str]) -> None:
        self._written(lines).replace(self._path)

    def _written(self, lines: Sequence[str]) -> Path:
        """The content, complete and durable, under another name, so that no reader sees half of it."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        path = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            os.fsync(file.fileno())
        return path
