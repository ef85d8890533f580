"""Writes a turn as Server-Sent Events.

The turn belongs to the app, not to this response: the response reads the turn's feed, and a visitor who leaves, a
proxy that cuts or a send that times out ends the reading only.
"""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing

import anyio
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request

from app.answering.turn_feed import TurnFeed
from app.domain.errors import InvalidInput
from app.domain.turn_events import NumberedEvent, event_payload
from app.web.gathering import gathered
from app.web.limits_policy import StreamPolicy
from app.web.metrics import StreamMeter

_HEADERS = {
    "X-Accel-Buffering": "no",
    # no-transform keeps proxies from compressing, which would buffer.
    "Cache-Control": "no-store, no-transform",
}
GRACE_BEYOND_DRAIN_SECONDS = 2  # for the last frame to leave


def frame(event: NumberedEvent) -> bytes:
    """One event on the wire: ASCII only, so that nothing in a text can end a line."""
    data = json.dumps(event_payload(event.event), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return f"id: {event.number}\nevent: {event.event.name}\ndata: {data}\n\n".encode("ascii")


def last_event_id(request: Request) -> int:
    """The number of the last event that the reader has, 0 when it has none. Raises InvalidInput."""
    raw = request.headers.get("last-event-id", "").strip()
    if not raw:
        return 0
    if not (raw.isascii() and raw.isdecimal() and len(raw) <= 10):
        raise InvalidInput("Last-Event-ID", "Send the id of the last event that you have, such as 17, or leave it out.")
    return int(raw)


def stream_response(feed: TurnFeed, after: int, policy: StreamPolicy, meter: StreamMeter) -> EventSourceResponse:
    """The turn's events with numbers above `after`; headers leave before the first of them."""
    stopping = anyio.Event()  # set by the library when the server is told to end
    grace_seconds = policy.drain_seconds + GRACE_BEYOND_DRAIN_SECONDS
    return event_stream(_frames(feed, after, policy, meter, stopping), policy, stopping, grace_seconds)


def event_stream(
    frames: AsyncIterator[bytes], policy: StreamPolicy, stopping: anyio.Event, grace_seconds: float
) -> EventSourceResponse:
    """Written frames as they come, heartbeats between them. `stopping` is set when the server is told to end, and
    `frames` then has `grace_seconds` to end by itself."""
    return EventSourceResponse(
        frames,
        headers=_HEADERS,
        ping=policy.ping_seconds,
        ping_message_factory=lambda: ServerSentEvent(comment="ping", sep="\n"),
        sep="\n",
        send_timeout=policy.send_timeout_seconds,
        shutdown_event=stopping,
        shutdown_grace_period=grace_seconds,
    )


async def _frames(
    feed: TurnFeed, after: int, policy: StreamPolicy, meter: StreamMeter, stopping: anyio.Event
) -> AsyncIterator[bytes]:
    events = gathered(
        feed.events(after),
        gather_seconds=policy.gather_seconds,
        stopping=stopping,
        drain_seconds=policy.drain_seconds,
        after=after,
        is_answered_here=feed.is_answered_here,
    )
    with meter.stream() as seen:
        async with aclosing(events):
            async for event in events:
                seen(event)
                yield frame(event)
