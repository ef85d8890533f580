"""Port: password hashes that are slow to guess."""

from collections.abc import Sequence
from typing import Protocol


class PasswordHasher(Protocol):
    async def hash(self, password: str, like: str = "") -> str:
        """With a random salt, so that two hashes of the same password differ; or with the salt and the settings of the
        hash `like`, so that one computation compares a password with both."""
        ...

    async def matching(self, password: str, hashes: Sequence[str]) -> Sequence[str]:
        """Those of the hashes that are of this password. Takes as long for a wrong password as for the right one, and
        for several hashes that were made like each other as for one of them."""
        ...

    def is_outdated(self, hashed: str) -> bool:
        """Whether the current settings would produce another kind of hash."""
        ...
