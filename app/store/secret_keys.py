"""Encrypts secrets in the system of record, so that reading its file does not reveal them: AES-256-GCM (NIST SP
800-38D).
"""

import hashlib
import os
import re
import secrets
import stat
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.core.errors import SecretsLocked

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_WRITTEN: Final = re.compile(r"[\w-]{43}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sealed:
    """A nonce with the ciphertext, and the name of the key that opens it."""

    data: bytes
    key_name: str


class SecretKeys:
    """Seals with the first key and opens with any. Keys have 32 bytes.

    A sealed value only opens for its own place ("signing_keys.secret:<kid>"), not after it was moved to another row.
    `read` returns the keys, and is called again if a value names an unknown one, because another process may have
    changed the file.
    """

    def __init__(self, read: Callable[[], Sequence[bytes]]) -> None:
        self._read = read
        self._keys = _named(read())

    def __repr__(self) -> str:
        return f"SecretKeys({', '.join(self._keys)})"

    @property
    def sealing(self) -> str:
        """The name of the key that seals. It reveals nothing about the key."""
        return next(iter(self._keys))

    def seal(self, secret: bytes, place: str) -> Sealed:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        name = self.sealing
        return Sealed(nonce + self._keys[name].encrypt(nonce, secret, place.encode()), name)

    def open(self, sealed: Sealed, place: str) -> bytes:
        """The plain secret. Raises SecretsLocked if no key opens it at this place."""
        if sealed.key_name not in self._keys:
            self._keys = _named(self._read())
        key = self._keys.get(sealed.key_name)
        if key is None:
            raise SecretsLocked(
                f"{place} was sealed with the key {sealed.key_name}, which is not among the secret keys "
                f"({', '.join(self._keys)}). Put that key back, after a comma in DOCENT_SECRET_KEY or on a line of "
                "its own in secret.key. Where it is lost: `docent secrets forget`."
            )
        try:
            return key.decrypt(sealed.data[:_NONCE_BYTES], sealed.data[_NONCE_BYTES:], place.encode())
        except (InvalidTag, ValueError) as error:
            raise SecretsLocked(
                f"{place} was changed after it was sealed. Restore a backup, or give it up: `docent secrets forget`."
            ) from error

    def can_open(self, sealed: Sealed, place: str) -> bool:
        try:
            self.open(sealed, place)
        except SecretsLocked:
            return False
        return True


def new_key() -> str:
    """A key as text: 43 characters of base64url."""
    return urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).decode().rstrip("=")


def read_key(text: str) -> bytes:
    """Decode a key from `new_key`. Raises ValueError, whose message does not contain the text."""
    written = text.strip().removesuffix("=")
    if not _WRITTEN.fullmatch(written):
        raise ValueError("a secret key is 32 bytes in base64url; `docent secrets new-key` creates one")
    return urlsafe_b64decode(written + "=")


def key_name(key: bytes) -> str:
    return hashlib.sha256(b"docent secret key" + key).hexdigest()[:8]


def _named(keys: Sequence[bytes]) -> dict[str, AESGCM]:
    return {key_name(key): AESGCM(key) for key in keys}


class SecretKeyFile:
    """The keys of an installation without configured ones: a file next to its data, readable by its owner alone. One
    key per line; the first one seals. Created when it is first read; processes that start together create one."""

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
        """Add a new key, which seals from now on; the others still open."""
        self.read()
        self._replace([new_key(), *self._lines()])

    def keep_first(self) -> None:
        """Remove all keys but the first. Call this once nothing is sealed with the others."""
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
        """Write the lines durably to another file and return its path, so that no reader sees half of them."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        path = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            os.fsync(file.fileno())
        return path
