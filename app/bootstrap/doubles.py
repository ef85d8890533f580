"""What takes the place of parts that the settings would choose: tests hand in small ones."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, TypeVar, cast

Part = TypeVar("Part")


class Doubles(dict[Any, object]):
    """By the types that others name. What is not among them is chosen and opened as in production."""

    def or_else(self, kind: object, chosen: Callable[[], Part]) -> Part:
        return cast(Part, self[kind]) if kind in self else chosen()

    async def or_opened(
        self, kind: object, closing: AsyncExitStack, opened: Callable[[], AbstractAsyncContextManager[Part]]
    ) -> Part:
        """What is opened is closed with `closing`; a double stays its owner's."""
        return cast(Part, self[kind]) if kind in self else await closing.enter_async_context(opened())


NO_DOUBLES = Doubles()
