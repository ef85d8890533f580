"""Port: small values that may be forgotten at any time."""

from typing import Protocol


class Cache(Protocol):
    """Never a source of truth: a failing cache reads as a miss, and never raises."""

    async def get(self, key: str) -> bytes | None: ...

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None: ...

    async def delete(self, key: str) -> None: ...
