"""PasswordHasher by Argon2id, off the event loop."""

import anyio.to_thread
from anyio import CapacityLimiter
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# Computing a hash takes 64 MiB: this many at a time, so that sign-ins cannot take the memory of answers.
_AT_ONCE = 2


class Argon2PasswordHasher:
    """Uses the library's parameters, which are RFC 9106's for machines with little memory."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._limiter: CapacityLimiter | None = None

    async def hash(self, password: str) -> str:
        return await anyio.to_thread.run_sync(self._hasher.hash, password, limiter=self._places())

    async def is_right(self, password: str, hashed: str) -> bool:
        return await anyio.to_thread.run_sync(self._fits, password, hashed, limiter=self._places())

    def is_outdated(self, hashed: str) -> bool:
        return self._hasher.check_needs_rehash(hashed)

    def _fits(self, password: str, hashed: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False

    def _places(self) -> CapacityLimiter:
        """Created on first use, because it belongs to a running event loop."""
        if self._limiter is None:
            self._limiter = CapacityLimiter(_AT_ONCE)
        return self._limiter
