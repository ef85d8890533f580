"""Turns a turn's events into frames: joins tokens, and ends the stream with an error when the process stops."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from typing import Final

import anyio

from app.core.turn_events import Error, NumberedEvent, Token, TurnFeed

SHUTTING_DOWN = Error(
    code="shutting_down",
    message="The service is restarting. Your question is kept; ask again in a moment.",
    retryable=True,
)


async def coalesced(
    feed: TurnFeed, *, coalesce_seconds: float, stopping: anyio.Event, drain_seconds: float, after: int = 0
) -> AsyncGenerator[list[NumberedEvent], None]:
    """The feed's events, with those that may be sent together in one list. Tokens that come within `coalesce_seconds`
    of the last token frame are joined into one, with the number of its last token. The first token is sent at once, and
    no other event waits. While the event loop is late, tokens are joined for up to 0.07 s.

    If the feed has not ended `drain_seconds` after `stopping`, an error with the next number ends the stream. A turn in
    another process continues: its stream just breaks off, and its reader reconnects to a remaining process. Leaving
    early only ends the reading of the feed.
    """
    inbox = _Inbox(coalesce_seconds)
    last_word = SHUTTING_DOWN if feed.is_answered_here else None
    watching = asyncio.create_task(inbox.watch(stopping, drain_seconds, last_word))
    last_number = after
    try:
        with feed.followed(after, inbox.put, inbox.finish):
            while due := await inbox.take():
                last_number = due[-1].number
                yield due
                if due[-1].is_last:
                    return
            if inbox.end is not None:
                yield [NumberedEvent(last_number + 1, inbox.end)]
    finally:
        inbox.close()
        watching.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.gather(watching, return_exceptions=True)


_LATE_SECONDS: Final = 0.02  # of an overloaded loop: joining tokens relieves it most
_COALESCE_WHEN_LATE_SECONDS: Final = 0.07  # any longer, and the text arrives in visible jerks
_FORGOTTEN: Final = 0.9  # of the lateness, per frame


class _Inbox:
    """Events that have not been sent yet. The answer's length limits it, and the send timeout limits a slow reader."""

    def __init__(self, coalesce_seconds: float) -> None:
        self._coalesce_seconds = coalesce_seconds
        self._loop = asyncio.get_running_loop()
        self._pending: deque[NumberedEvent] = deque()
        self._urgent = 0  # events other than tokens
        self._tokens_at = 0.0  # when the next token may be sent
        self._timer: asyncio.TimerHandle | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._woken_at = 0.0
        self._lateness = 0.0  # of the loop: seconds between being due and running
        self._has_ended = False
        self.end: Error | None = None

    def put(self, event: NumberedEvent) -> None:
        self._pending.append(event)
        self._urgent += not isinstance(event.event, Token)
        self._wake_when_due()

    async def watch(self, stopping: anyio.Event, drain_seconds: float, last_word: Error | None) -> None:
        await stopping.wait()
        await asyncio.sleep(drain_seconds)
        self.finish(last_word)

    async def take(self) -> list[NumberedEvent]:
        """The next events, none at the end; tokens wait for their time, unless another event comes."""
        while not self._is_due:
            self._waiter = self._loop.create_future()
            self._wake_when_due()
            try:
                await self._waiter
            finally:
                self._waiter = None
            self._lateness = max(self._loop.time() - self._woken_at, self._lateness * _FORGOTTEN)
        due: list[NumberedEvent] = []
        while self._pending and self._is_due:
            due.append(self._next())
        return due

    def _next(self) -> NumberedEvent:
        event = self._pending.popleft()
        if not isinstance(event.event, Token):
            self._urgent -= 1
            return event
        if self._coalesce_seconds > 0:
            event = self._joined(event, event.event)
            self.close()
            is_late = self._lateness > _LATE_SECONDS
            wait = max(self._coalesce_seconds, _COALESCE_WHEN_LATE_SECONDS) if is_late else self._coalesce_seconds
            self._tokens_at = self._loop.time() + wait
        return event

    def close(self) -> None:
        """Cancel the timer."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    @property
    def _is_due(self) -> bool:
        if self._has_ended or self._urgent:
            return True
        return bool(self._pending) and self._loop.time() >= self._tokens_at

    def _wake_when_due(self) -> None:
        """At once, or when the waiting tokens are due."""
        if self._waiter is None or self._waiter.done():
            return
        if self._is_due:
            self._waiter.set_result(None)
            self._woken_at = self._loop.time()
        elif self._pending and self._timer is None:
            self._timer = self._loop.call_at(self._tokens_at, self._on_time)

    def _on_time(self) -> None:
        self._timer, self._tokens_at = None, 0.0  # a timer may fire a little early
        self._wake_when_due()

    def _joined(self, first: NumberedEvent, token: Token) -> NumberedEvent:
        if not self._pending:
            return first
        number, text = first.number, [token.token]
        while self._pending and isinstance(following := self._pending[0].event, Token):
            number = self._pending.popleft().number
            text.append(following.token)
        return NumberedEvent(number, Token("".join(text)))

    def finish(self, end: Error | None = None) -> None:
        """Nothing more comes; `end` is sent after the remaining events."""
        if not self._has_ended:
            self._has_ended, self.end = True, end
            self._wake_when_due()
