"""Ending a background task of ours, and waiting until it has ended."""

import asyncio
from typing import Any, Final

_AGAIN_SECONDS: Final = 0.2


async def end_task(task: "asyncio.Task[Any]") -> None:
    """Cancel it until it ends: before Python 3.12 `asyncio.wait_for`, which libraries use inside, may lose a cancel.
    Its error, if it had one, is not raised."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=_AGAIN_SECONDS)
