"""Writes a turn as Server-Sent Events.

The turn belongs to the application, not to this response. The response reads the turn's feed, and if a visitor leaves,
a proxy disconnects or a send times out, only the reading ends.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

import anyio
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from app.core.errors import InvalidInput
from app.core.turn_events import NumberedEvent, Token, TurnFeed, event_payload
from app.kit.reusable_timeout import ReusableTimeout
from app.web.limits_policy import StreamPolicy
from app.web.middleware.metrics import StreamMeter
from app.web.token_coalescing import coalesced

_HEADERS = {
    "X-Accel-Buffering": "no",
    # no-transform keeps proxies from compressing, which would buffer.
    "Cache-Control": "no-store, no-transform",
}
_PIECE_BYTES = 16_384
GRACE_BEYOND_DRAIN_SECONDS = 2  # for the last frame to leave


_encoded = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def frame(event: NumberedEvent) -> bytes:
    """One event on the wire. ASCII only, so that no text can contain a line break."""
    if isinstance(event.event, Token):  # nearly all are, so they get no dictionary each
        data = f'{{"event":"token","token":{_encoded(event.event.token)}}}'
    else:
        data = _encoded(event_payload(event.event))
    return f"id: {event.number}\nevent: {event.event.name}\ndata: {data}\n\n".encode("ascii")


def last_event_id(request: Request) -> int:
    """The number of the reader's last event, 0 without one. Raises InvalidInput."""
    raw = request.headers.get("last-event-id", "").strip()
    if not raw:
        return 0
    if not (raw.isascii() and raw.isdecimal() and len(raw) <= 10):
        raise InvalidInput("Last-Event-ID", "Send the id of the last event that you have, such as 17, or leave it out.")
    return int(raw)


def stream_response(feed: TurnFeed, after: int, policy: StreamPolicy, meter: StreamMeter) -> EventSourceResponse:
    """The turn's events with numbers above `after`; headers are sent before the first of them."""
    return turn_stream(lambda stopping: _frames(feed, after, policy, meter, stopping), policy)


def turn_stream(frames: Callable[[anyio.Event], AsyncIterator[bytes]], policy: StreamPolicy) -> EventSourceResponse:
    """Frames of a turn, given the event that is set when the server has to stop."""
    stopping = anyio.Event()
    return event_stream(frames(stopping), policy, stopping, policy.drain_seconds + GRACE_BEYOND_DRAIN_SECONDS)


def event_stream(
    frames: AsyncIterator[bytes], policy: StreamPolicy, stopping: anyio.Event, grace_seconds: float
) -> EventSourceResponse:
    """Sends the frames as they come, with heartbeats in between. `stopping` is set when the server has to stop;
    `frames` then has `grace_seconds` to end."""
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
    """The turn's events, coalesced into frames and counted. A caller that stops early closes it."""
    async with aclosing(_due_events(feed, after, policy, meter, stopping)) as batches:
        async for due in batches:
            for event in due:
                yield event


async def _due_events(
    feed: TurnFeed, after: int, policy: StreamPolicy, meter: StreamMeter, stopping: anyio.Event
) -> AsyncGenerator[list[NumberedEvent], None]:
    """The same, with events that may be sent together in one list."""
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
    """The library's response opens and closes a cancel scope for each frame; this one uses a single timer for all.
    `_send_with_timeout` is the library's own hook for a send; its pings still use the library's way."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._timeout = ReusableTimeout()
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._timeout.close()

    async def _send_with_timeout(self, send: Send, message: Message) -> None:
        if self.send_timeout is None or self._timeout.is_waiting:
            await super()._send_with_timeout(send, message)
            return
        try:
            await self._timeout.within(self.send_timeout, send(message))
        except TimeoutError as error:
            raise SendTimeoutError from error


async def _frames(
    feed: TurnFeed, after: int, policy: StreamPolicy, meter: StreamMeter, stopping: anyio.Event
) -> AsyncIterator[bytes]:
    """One piece of the response for events that may be sent together, because each takes a system call. Pieces are
    short, because the server only notices at the next one that a reader takes nothing."""
    async with aclosing(_due_events(feed, after, policy, meter, stopping)) as batches:
        async for due in batches:
            piece = b""
            for event in due:
                if len(piece) > _PIECE_BYTES:
                    yield piece
                    piece = b""
                piece += frame(event)
            yield piece
