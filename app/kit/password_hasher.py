"""Port: password hashes that are slow to guess; by Argon2id, off the event loop."""

import hmac
from base64 import b64decode
from collections.abc import Sequence
from typing import Protocol

import anyio.to_thread
from anyio import CapacityLimiter
from argon2 import PasswordHasher as Argon2
from argon2 import extract_parameters
from argon2.exceptions import HashingError, InvalidHashError
from argon2.low_level import hash_secret


class PasswordHasher(Protocol):
    async def hash(self, password: str, like: str = "") -> str:
        """Hash with a random salt, so that two hashes of the same password differ. With `like`, use the salt and
        settings of that hash, so that `matching` compares a password with both in one computation."""
        ...

    async def matching(self, password: str, hashes: Sequence[str]) -> Sequence[str]:
        """The `hashes` that were made from this password. A wrong password takes as long as the right one, and several
        hashes with the same salt and settings as long as one."""
        ...

    def is_outdated(self, hashed: str) -> bool:
        """Whether the hash was made with other settings than the current ones."""
        ...


# Computing a hash takes 64 MiB: this many at a time, so that sign-ins cannot take the memory of answers.
_AT_ONCE = 2


class Argon2PasswordHasher:
    """Uses the library's parameters, which are RFC 9106's for machines with little memory."""

    def __init__(self, hasher: Argon2 | None = None) -> None:
        self._hasher = hasher or Argon2()
        self._limiter: CapacityLimiter | None = None

    async def hash(self, password: str, like: str = "") -> str:
        if like:
            return await anyio.to_thread.run_sync(_computed, password, like, limiter=self._places())
        return await anyio.to_thread.run_sync(self._hasher.hash, password, limiter=self._places())

    async def matching(self, password: str, hashes: Sequence[str]) -> Sequence[str]:
        return await anyio.to_thread.run_sync(_matching, password, hashes, limiter=self._places())

    def is_outdated(self, hashed: str) -> bool:
        return self._hasher.check_needs_rehash(hashed)

    def _places(self) -> CapacityLimiter:
        """Created on first use, because it belongs to a running event loop."""
        if self._limiter is None:
            self._limiter = CapacityLimiter(_AT_ONCE)
        return self._limiter


def _matching(password: str, hashes: Sequence[str]) -> list[str]:
    found: dict[str, str] = {}  # by the part before the digest: version, settings and salt
    for each in hashes:
        if (settings := each.rpartition("$")[0]) not in found:
            try:
                found[settings] = _computed(password, each)
            except (InvalidHashError, HashingError):
                found[settings] = "none"
    return [each for each in hashes if hmac.compare_digest(found[each.rpartition("$")[0]].encode(), each.encode())]


def _computed(password: str, like: str) -> str:
    """Hash the password with the settings and the salt of the hash `like`."""
    parameters = extract_parameters(like)
    salt = like.split("$")[-2]
    return hash_secret(
        password.encode(),
        b64decode(salt + "=" * (-len(salt) % 4)),
        parameters.time_cost,
        parameters.memory_cost,
        parameters.parallelism,
        parameters.hash_len,
        parameters.type,
        parameters.version,
    ).decode()
