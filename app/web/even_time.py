"""Answers that take the same time whatever was found."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvenTime:
    """`seconds` is more than the work takes: its end is not to reveal how many accounts an address has."""

    seconds: float = 0.5

    @asynccontextmanager
    async def __call__(self, *, if_refused: bool = False) -> AsyncIterator[None]:
        """The block takes at least that long; with `if_refused`, only one that raises."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.seconds
        try:
            yield
        except Exception:
            await asyncio.sleep(max(0.0, until - loop.time()))
            raise
        if not if_refused:
            await asyncio.sleep(max(0.0, until - loop.time()))
