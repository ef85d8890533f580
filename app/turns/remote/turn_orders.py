"""Port: what web processes tell each other about turns."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Literal, Protocol
from uuid import UUID

OrderKind = Literal["stop", "end", "read", "left"]


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """stop: whoever answers the turns `ids` ends them. end: end the turns of the conversations `ids`, and forget their
    events. read, left: `sender` has begun, or ended, to read the turns `ids`. `sender` names a process."""

    kind: OrderKind
    ids: tuple[UUID, ...]
    sender: str


class TurnOrders(Protocol):
    async def send(self, order: TurnOrder) -> None:
        """To every process, the sender included. Raises Unavailable."""
        ...

    def received(self) -> AsyncGenerator[TurnOrder, None]:
        """What is sent from the first step of this generator on, in order. Never ends, and outlives an absence."""
        ...
