"""What every TurnOrders promises."""

import asyncio
from contextlib import aclosing
from uuid import uuid4

from app.turns.remote.turn_log import TurnOrder, TurnOrders


class TurnOrdersContract:
    """A subclass gives the fixture `orders`."""

    async def test_every_listener_hears_every_order_in_order(self, orders: TurnOrders) -> None:
        async with aclosing(orders.received()) as one, aclosing(orders.received()) as other:
            hearing = [asyncio.create_task(anext(listener)) for listener in (one, other)]
            await asyncio.sleep(0.05)
            sent = [
                TurnOrder("stop", (uuid4(),), "here"),
                TurnOrder("end", (uuid4(), uuid4()), "there"),
                TurnOrder("read", (uuid4(),), "here"),
            ]
            for order in sent:
                await orders.send(order)
            for listener, first in zip((one, other), hearing, strict=True):
                assert [await first, await anext(listener), await anext(listener)] == sent

    async def test_what_was_sent_before_is_not_heard(self, orders: TurnOrders) -> None:
        await orders.send(TurnOrder("stop", (uuid4(),), "here"))
        async with aclosing(orders.received()) as listener:
            hearing = asyncio.create_task(anext(listener))
            await asyncio.sleep(0.05)
            sent = TurnOrder("left", (uuid4(),), "here")
            await orders.send(sent)
            assert await hearing == sent
