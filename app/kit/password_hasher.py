"""Port: passwords as hashes that are slow to guess."""

from typing import Protocol


class PasswordHasher(Protocol):
    async def hash(self, password: str) -> str:
        """With a salt of its own, so that two hashes of one password differ."""
        ...

    async def is_right(self, password: str, hashed: str) -> bool:
        """Takes as long for a wrong password as for the right one."""
        ...

    def is_outdated(self, hashed: str) -> bool:
        """Whether today's settings would make another kind of hash."""
        ...
