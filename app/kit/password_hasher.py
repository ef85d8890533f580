"""Port: password hashes that are slow to guess."""

from typing import Protocol


class PasswordHasher(Protocol):
    async def hash(self, password: str) -> str:
        """With a random salt, so that two hashes of the same password differ."""
        ...

    async def is_right(self, password: str, hashed: str) -> bool:
        """Takes as long for a wrong password as for the right one."""
        ...

    def is_outdated(self, hashed: str) -> bool:
        """Whether the current settings would produce another kind of hash."""
        ...
