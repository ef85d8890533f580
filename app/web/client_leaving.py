"""Ends work that nobody waits for any more."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

from app.kit.tasks.interruptible import Interrupted, unless

Result = TypeVar("Result")


async def unless_client_leaves(request: Request, work: Callable[[], Awaitable[Result]]) -> Result:
    """The result of `work`, for a request whose body was read. Raises ClientDisconnect."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    try:
        return await unless(left, work)
    except Interrupted:
        raise ClientDisconnect from None
