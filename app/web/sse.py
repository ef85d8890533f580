"""Writes a turn as Server-Sent Events.

A response only reads the turn's feed: if the visitor leaves, a proxy disconnects or a send times out, the turn
continues.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Final

import anyio
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from app.core.errors import InvalidInput
from app.core.turn_events import Error, NumberedEvent, Token, TurnFeed, event_payload
from app.kit.timeouts import ReusableTimeout
from app.web.limits_policy import StreamPolicy
from app.web.middleware.request_log import PIECE_BYTES, PLAIN_SEND, StreamMeter

SHUTTING_DOWN = Error(
    code="shutting_down",
    message="The service is restarting. Your question is kept; ask again in a moment.",
    retryable=True,
)


async def coalesced(
    feed: TurnFeed, *, coalesce_seconds: float, stopping: anyio.Event, drain_seconds: float, after: int = 0
) -> AsyncGenerator[list[NumberedEvent], None]:
    """Yield the feed's events, in lists that may be sent together. Tokens that arrive within `coalesce_seconds` of the
    last token frame are joined into one event with the number of the last token; the first token and all other events
    are sent at once. While the event loop is late, tokens are joined for up to 0.07 s.

    If the feed has not ended `drain_seconds` after `stopping`, an error with the next number ends the stream. For a
    turn in another process, the stream just breaks off, because the turn continues and its reader can reconnect.
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


_LATE_SECONDS: Final = 0.02  # from this lateness on, the event loop counts as overloaded
_COALESCE_WHEN_LATE_SECONDS: Final = 0.07  # any longer, and the text arrives in visible jerks
_FORGOTTEN: Final = 0.9  # factor by which the measured lateness decays per frame


class _Inbox:
    """Events that have not been sent yet. The length of the answer and the send timeout of slow readers bound it."""

    def __init__(self, coalesce_seconds: float) -> None:
        self._coalesce_seconds = coalesce_seconds
        self._loop = asyncio.get_running_loop()
        self._pending: deque[NumberedEvent] = deque()
        self._urgent = 0  # events other than tokens
        self._tokens_at = 0.0  # when the next token may be sent
        self._timer: asyncio.TimerHandle | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._woken_at = 0.0
        self._lateness = 0.0  # seconds between waking and running
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
        """The next events, [] at the end. Tokens wait until they are due or another event arrives."""
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
        if self._timer:
            self._timer.cancel()
            self._timer = None

    @property
    def _is_due(self) -> bool:
        if self._has_ended or self._urgent:
            return True
        return bool(self._pending) and self._loop.time() >= self._tokens_at

    def _wake_when_due(self) -> None:
        """Wake the reader at once, or by a timer when the pending tokens are due."""
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
        """Mark the end of the events; `end` is sent after the remaining ones."""
        if not self._has_ended:
            self._has_ended, self.end = True, end
            self._wake_when_due()


_HEADERS = {
    "X-Accel-Buffering": "no",
    # no-transform keeps proxies from compressing, which would buffer.
    "Cache-Control": "no-store, no-transform",
}
_PIECE_BYTES = 16_384
GRACE_BEYOND_DRAIN_SECONDS = 2  # for sending the last frame


_encoded = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def frame(event: NumberedEvent) -> bytes:
    """One event on the wire. ASCII only, so that no text can contain a line break."""
    if isinstance(event.event, Token):  # nearly all events; this avoids building a dictionary for each
        data = f'{{"event":"token","token":{_encoded(event.event.token)}}}'
    else:
        data = _encoded(event_payload(event.event))
    return f"id: {event.number}\nevent: {event.event.name}\ndata: {data}\n\n".encode("ascii")


def last_event_id(request: Request) -> int:
    """The number in the header Last-Event-ID, 0 without one. Raises InvalidInput."""
    raw = request.headers.get("last-event-id", "").strip()
    if not raw:
        return 0
    if not (raw.isascii() and raw.isdecimal() and len(raw) <= 10):
        raise InvalidInput("Last-Event-ID", "Send the id of the last event that you have, such as 17, or leave it out.")
    return int(raw)


def stream_response(feed: TurnFeed, after: int, policy: StreamPolicy, meter: StreamMeter) -> EventSourceResponse:
    """Stream the turn's events with numbers above `after`. The headers are sent before the first event."""
    return turn_stream(lambda stopping: _frames(feed, after, policy, meter, stopping), policy)


def turn_stream(frames: Callable[[anyio.Event], AsyncIterator[bytes]], policy: StreamPolicy) -> EventSourceResponse:
    """Stream the frames of a turn. `frames` receives the event that is set when the server has to stop."""
    stopping = anyio.Event()
    return event_stream(frames(stopping), policy, stopping, policy.drain_seconds + GRACE_BEYOND_DRAIN_SECONDS)


def event_stream(
    frames: AsyncIterator[bytes], policy: StreamPolicy, stopping: anyio.Event, grace_seconds: float
) -> EventSourceResponse:
    """Stream frames with heartbeats in between. `stopping` is set when the server has to stop; `frames` must then end
    within `grace_seconds`."""
    return _EventStream(
        frames,
        headers=_HEADERS,
        ping=policy.ping_seconds,
        ping_message_factory=lambda: ServerSentEvent(comment="ping", sep="\n"),
        sep="\n",
        send_timeout=policy.send_timeout_seconds,
        shutdown_event=stopping,
        shutdown_grace_period=grace_seconds,
    )


async def turn_events(
    feed: TurnFeed, after: int, policy: StreamPolicy, meter: StreamMeter, stopping: anyio.Event
) -> AsyncGenerator[NumberedEvent, None]:
    """The turn's events, coalesced and metered. A caller that stops early must close the generator."""
    async with aclosing(_due_events(feed, after, policy, meter, stopping)) as batches:
        async for due in batches:
            for event in due:
                yield event


async def _due_events(
    feed: TurnFeed, after: int, policy: StreamPolicy, meter: StreamMeter, stopping: anyio.Event
) -> AsyncGenerator[list[NumberedEvent], None]:
    """Like `turn_events`, with events that may be sent together in one list."""
    events = coalesced(
        feed,
        coalesce_seconds=policy.coalesce_seconds,
        stopping=stopping,
        drain_seconds=policy.drain_seconds,
        after=after,
    )
    with meter.stream() as seen:
        async with aclosing(events):
            async for due in events:
                for event in due:
                    seen(event)
                yield due


class _EventStream(EventSourceResponse):
    """Replaces the library's cancel scope for each frame by a single timer, and sends frames past the middlewares,
    which do not change them. `_send_with_timeout` is the library's hook for a send; pings still use the library's
    way."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._plain_send: Send = scope.get(PLAIN_SEND, send)
        self._timeout = ReusableTimeout()
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._timeout.close()

    async def _send_with_timeout(self, send: Send, message: Message) -> None:
        if self.send_timeout is None or self._timeout.is_waiting:
            await super()._send_with_timeout(send, message)
            return
        if message.get("more_body") and len(message["body"]) <= PIECE_BYTES:
            send = self._plain_send
        try:
            await self._timeout.within(self.send_timeout, send(message))
        except TimeoutError as error:
            raise SendTimeoutError from error


async def _frames(
    feed: TurnFeed, after: int, policy: StreamPolicy, meter: StreamMeter, stopping: anyio.Event
) -> AsyncIterator[bytes]:
    """Pieces of the response, each with all events that may be sent together, because a piece takes a system call. They
    are short, because the server only notices at the next piece that the client does not read."""
    async with aclosing(_due_events(feed, after, policy, meter, stopping)) as batches:
        async for due in batches:
            piece = b""
            for event in due:
                if len(piece) > _PIECE_BYTES:
                    yield piece
                    piece = b""
                piece += frame(event)
            yield piece
