"""Turns a turn's events into what is worth a frame: tokens gathered, and an honest end when the process goes."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator

import anyio
import structlog

from app.domain.turn_events import Error, NumberedEvent, Token

_log = structlog.get_logger("docent.web")

SHUTTING_DOWN = Error(
    code="shutting_down",
    message="The service is restarting. Your question is kept; ask again in a moment.",
    retryable=True,
)
INTERNAL = Error(
    code="internal", message="Something went wrong on our side, and it is logged. Try again.", retryable=True
)


async def gathered(
    events: AsyncIterator[NumberedEvent],
    *,
    gather_seconds: float,
    stopping: anyio.Event,
    drain_seconds: float,
    after: int = 0,
    is_answered_here: bool = True,
) -> AsyncGenerator[NumberedEvent, None]:
    """The same events, with tokens that come within `gather_seconds` of the last token frame joined into one, which
    carries the number of its last token. The first token goes out at once, and no other event waits.

    When the feed breaks, or has not ended `drain_seconds` after `stopping`, an error of ours ends the stream with
    the next number. A turn that another process answers goes on there: its stream breaks off then without a word, and
    its reader comes back to whoever is left. Leaving early cancels the reading of `events` and nothing else.
    """
    loop = asyncio.get_running_loop()
    inbox = _Inbox(gather_seconds)
    reading = asyncio.create_task(inbox.read(events))
    watching = asyncio.create_task(inbox.watch(stopping, drain_seconds, SHUTTING_DOWN if is_answered_here else None))
    last_number = after
    next_token_at = 0.0
    try:
        while (event := await inbox.take(next_token_at - loop.time())) is not None:
            if isinstance(event.event, Token):
                next_token_at = loop.time() + gather_seconds
            last_number = event.number
            yield event
            if event.is_last:
                return
        if inbox.end is not None:
            yield NumberedEvent(last_number + 1, inbox.end)
    finally:
        reading.cancel()
        watching.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.gather(reading, watching, return_exceptions=True)


class _Inbox:
    """What has come and not gone out yet. It is bounded by the answer, and a slow reader by the send timeout."""

    def __init__(self, gather_seconds: float) -> None:
        self._is_gathering = gather_seconds > 0
        self._pending: deque[NumberedEvent] = deque()
        self._arrived = asyncio.Event()
        self._urgent = asyncio.Event()  # something beside tokens waits, or the end
        self._has_ended = False
        self.end: Error | None = None

    async def read(self, events: AsyncIterator[NumberedEvent]) -> None:
        try:
            async for event in events:
                self._pending.append(event)
                self._arrived.set()
                if not isinstance(event.event, Token):
                    self._urgent.set()
        except Exception:
            _log.exception("turn_feed_broke")
            self._finish(INTERNAL)
        else:
            self._finish(None)
        finally:
            close = getattr(events, "aclose", None)
            if close is not None:
                await close()

    async def watch(self, stopping: anyio.Event, drain_seconds: float, last_word: Error | None) -> None:
        await stopping.wait()
        await asyncio.sleep(drain_seconds)
        self._finish(last_word)

    async def take(self, token_wait_seconds: float) -> NumberedEvent | None:
        """The next event, or None at the end; tokens wait that long for more, unless something else comes."""
        await self._arrived.wait()
        if self._pending and isinstance(self._pending[0].event, Token) and token_wait_seconds > 0:
            try:
                async with asyncio.timeout(token_wait_seconds):
                    await self._urgent.wait()
            except TimeoutError:
                pass
        if not self._pending:
            return None
        event = self._pending.popleft()
        if isinstance(event.event, Token) and self._is_gathering:
            event = self._joined(event, event.event)
        if not self._pending and not self._has_ended:
            self._arrived.clear()
        if not self._has_ended and all(isinstance(waiting.event, Token) for waiting in self._pending):
            self._urgent.clear()
        return event

    def _joined(self, first: NumberedEvent, token: Token) -> NumberedEvent:
        number, text = first.number, [token.token]
        while self._pending and isinstance(following := self._pending[0].event, Token):
            number = self._pending.popleft().number
            text.append(following.token)
        return NumberedEvent(number, Token("".join(text)))

    def _finish(self, end: Error | None) -> None:
        if not self._has_ended:
            self._has_ended, self.end = True, end
            self._arrived.set()
            self._urgent.set()
