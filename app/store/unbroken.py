"""Database calls that a cancelled task does not tear apart."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import anyio
from anyio.lowlevel import checkpoint_if_cancelled
from sqlalchemy.ext.asyncio import AsyncSession

Result = TypeVar("Result")


async def unbroken(call: Coroutine[Any, Any, Result]) -> Result:
    """Run the call to its end even when the task is cancelled meanwhile; the cancellation follows after it."""
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
            task.exception()  # seen, so that nobody warns of it
        raise cancellation
    return task.result()


class UnbrokenSession(AsyncSession):
    """For SQLite. Its driver goes on in a thread when a task is cancelled inside a statement, and the half-read
    statement then keeps the file locked until the garbage collector finds it."""

    async def execute(self, *args: Any, **options: Any) -> Any:
        await checkpoint_if_cancelled()
        return await unbroken(super().execute(*args, **options))

    async def scalar(self, *args: Any, **options: Any) -> Any:
        await checkpoint_if_cancelled()
        return await unbroken(super().scalar(*args, **options))

    async def get(self, *args: Any, **options: Any) -> Any:
        await checkpoint_if_cancelled()
        return await unbroken(super().get(*args, **options))
