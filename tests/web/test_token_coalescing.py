import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from uuid import UUID

import anyio
import pytest

from app.core.turn_events import Error, NumberedEvent, Start, Status, Token, TurnEvent, TurnFeed
from app.web.sse import coalesced
from tests.doubles.scripted_turns import the_receipt
from tests.every_row import every_row

TURN = UUID(int=7)
FOREVER = 3600.0  # a wait that no test sits out: what takes it fails by timeout


class Feed(TurnFeed):
    """A turn's events, published one by one."""

    turn_id = TURN
    is_answered_here = True

    def __init__(self, *events: TurnEvent, is_answered_here: bool = True) -> None:
        self.is_answered_here = is_answered_here
        self._events: list[NumberedEvent] = []
        self._heard: Callable[[NumberedEvent], None] = lambda event: None
        self._ended: Callable[[], None] = lambda: None
        self._has_ended = False
        self.is_read = False
        self.publish(*events)

    def publish(self, *events: TurnEvent) -> None:
        for event in events:
            self._events.append(NumberedEvent(len(self._events) + 1, event))
            self._heard(self._events[-1])

    def end(self) -> None:
        self._has_ended = True
        self._ended()

    @contextmanager
    def followed(self, after: int, heard: Callable[[NumberedEvent], None], ended: Callable[[], None]) -> Iterator[None]:
        self._heard, self._ended, self.is_read = heard, ended, True
        for event in self._events[after:]:
            heard(event)
        if self._has_ended:
            ended()
        try:
            yield
        finally:
            self.is_read = False


async def read(
    feed: Feed,
    coalesce_seconds: float = FOREVER,
    stopping: anyio.Event | None = None,
    drain_seconds: float = FOREVER,
) -> AsyncGenerator[NumberedEvent, None]:
    """One after the other."""
    events = coalesced(
        feed, coalesce_seconds=coalesce_seconds, stopping=stopping or anyio.Event(), drain_seconds=drain_seconds
    )
    async with aclosing(events):
        async for due in events:
            for event in due:
                yield event


async def everything(stream: AsyncGenerator[NumberedEvent, None]) -> list[tuple[int, str]]:
    async with aclosing(stream):
        return [(n.number, n.event.token if isinstance(n.event, Token) else n.event.name) async for n in stream]


async def test_the_first_token_goes_out_at_once() -> None:
    feed = Feed(Start(TURN, TURN), Token("a"))
    async with aclosing(read(feed)) as stream:
        assert (await anext(stream)).number == 1
        assert (await anext(stream)).event == Token("a")


async def test_tokens_of_one_moment_become_one_frame_with_the_last_number() -> None:
    feed = Feed(Token("a"))
    async with aclosing(read(feed, coalesce_seconds=0.05)) as stream:
        await anext(stream)
        feed.publish(Token("b"), Token("c"), Token("d"))
        assert await anext(stream) == NumberedEvent(4, Token("bcd"))


async def test_a_token_after_a_pause_does_not_wait() -> None:
    feed = Feed(Token("a"))
    async with aclosing(read(feed, coalesce_seconds=0.3)) as stream:
        await anext(stream)
        await asyncio.sleep(0.35)  # the pause is what is tested
        feed.publish(Token("b"))
        started = asyncio.get_running_loop().time()
        assert (await anext(stream)).event == Token("b")
        assert asyncio.get_running_loop().time() - started < 0.25


async def test_tokens_gather_for_longer_while_the_loop_is_late() -> None:
    feed = Feed(Token("a"))
    async with aclosing(read(feed, coalesce_seconds=0.001)) as stream:
        await anext(stream)
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.01)
        asyncio.get_running_loop().call_soon(time.sleep, 0.05)  # something else, that keeps the loop
        feed.publish(Token("b"))
        await waiting
        feed.publish(Token("c"))
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.02)
        feed.publish(Token("d"))
        assert (await waiting).event == Token("cd")


async def test_nothing_else_waits_for_tokens_to_gather() -> None:
    feed = Feed(Token("a"), Token("b"), Status("writing"), Token("c"), Token("d"), the_receipt(TURN))
    assert await everything(read(feed)) == [(2, "ab"), (3, "status"), (5, "cd"), (6, "done")]


async def test_what_may_go_out_at_once_comes_together() -> None:
    feed = Feed(Start(TURN, TURN), Status("searching"), Token("a"), Token("b"))
    stream = coalesced(feed, coalesce_seconds=FOREVER, stopping=anyio.Event(), drain_seconds=FOREVER)
    async with aclosing(stream):
        assert [event.number for event in await anext(stream)] == [1, 2, 4]
        waiting = asyncio.ensure_future(anext(stream))
        feed.publish(Token("c"), Token("d"), the_receipt(TURN))
        assert [event.number for event in await waiting] == [6, 7]


async def test_an_end_that_comes_while_tokens_gather_ends_the_wait() -> None:
    feed = Feed(Token("a"))
    async with aclosing(read(feed)) as stream:
        await anext(stream)
        feed.publish(Token("b"))
        waiting = asyncio.ensure_future(anext(stream))
        feed.publish(the_receipt(TURN))
        assert await waiting == NumberedEvent(2, Token("b"))
        assert (await anext(stream)).is_last


async def test_without_gathering_each_token_stands_alone() -> None:
    feed = Feed(Token("a"), Token("b"), Token("c"), the_receipt(TURN))
    assert await everything(read(feed, coalesce_seconds=0)) == [(1, "a"), (2, "b"), (3, "c"), (4, "done")]


@every_row("seed", range(20))
async def test_no_text_is_lost_or_reordered_however_it_comes(seed: int) -> None:
    pieces = [chr(97 + (seed * 7 + n) % 26) for n in range(50)]
    feed = Feed()

    async def publish() -> None:
        for n, piece in enumerate(pieces):
            feed.publish(Token(piece))
            if (n * (seed + 1)) % 3 == 0:
                await asyncio.sleep(0)
        feed.publish(the_receipt(TURN))

    publishing = asyncio.create_task(publish())
    got = await everything(read(feed, coalesce_seconds=0.001))
    await publishing
    assert "".join(text for _, text in got[:-1]) == "".join(pieces)
    assert [number for number, _ in got] == sorted({number for number, _ in got})
    assert got[-1] == (51, "done")


async def test_a_feed_that_just_ends_ends_the_stream() -> None:
    feed = Feed(Token("a"))
    feed.end()
    assert await everything(read(feed)) == [(1, "a")]


async def test_after_the_drain_a_live_stream_ends_with_shutting_down() -> None:
    feed, stopping = Feed(Token("a")), anyio.Event()
    async with aclosing(read(feed, stopping=stopping, drain_seconds=0.01)) as stream:
        await anext(stream)
        stopping.set()
        last = await anext(stream)
        assert last.number == 2
        assert isinstance(last.event, Error)
        assert (last.event.code, last.event.retryable) == ("shutting_down", True)
        with pytest.raises(StopAsyncIteration):
            await anext(stream)


async def test_after_the_drain_the_stream_of_anothers_turn_breaks_off_without_a_word() -> None:
    feed, stopping = Feed(Token("a"), is_answered_here=False), anyio.Event()
    async with aclosing(read(feed, stopping=stopping, drain_seconds=0.01)) as stream:
        await anext(stream)
        stopping.set()
        with pytest.raises(StopAsyncIteration):
            await anext(stream)
    assert not feed.is_read


async def test_leaving_closes_the_reading_and_leaves_no_task() -> None:
    feed = Feed(Token("a"))
    before = asyncio.all_tasks()
    async with aclosing(read(feed)) as stream:
        await anext(stream)
    assert not feed.is_read
    assert asyncio.all_tasks() == before
