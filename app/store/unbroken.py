"""Protects database calls from the cancellation of their task."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import anyio

Result = TypeVar("Result")


async def unbroken(call: Coroutine[Any, Any, Result]) -> Result:
    """Run the call to its end even if the task is cancelled meanwhile; the cancellation follows after it."""
    task = asyncio.ensure_future(call)
    cancellation: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError as error:
                cancellation = error
    if cancellation is not None:
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not warn
        raise cancellation
    return task.result()
