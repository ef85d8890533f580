"""Watches a provider's Server-Sent Events as they pass: how long each one gets, and whether the last one came.

The SDK keeps an event until it ends, however long that takes, and swallows the closing [DONE], which is all that some
servers send to say that their answer is whole.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import httpx2

MAX_EVENT_BYTES: Final = 1 << 20  # an event of a model's stream holds a few words

_BORDERS: Final = (b"\n\n", b"\r\r", b"\r\n\r\n")
_DONE: Final = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\][\r\n]")
_TAIL_BYTES: Final = 32  # more than a border or the last event is long, so that neither is missed between two reads


class WatchedEvents(httpx2.AsyncByteStream):
    """Reading it raises httpx2.RemoteProtocolError at an event of more than `max_event_bytes`."""

    def __init__(self, stream: httpx2.AsyncByteStream, max_event_bytes: int) -> None:
        self._stream = stream
        self._max_event_bytes = max_event_bytes
        self.is_done = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        open_bytes, tail = 0, b""
        async for chunk in self._stream:
            seen = tail + chunk
            border = max(seen.rfind(border) for border in _BORDERS)
            open_bytes = open_bytes + len(chunk) if border < 0 else len(seen) - border
            if open_bytes > self._max_event_bytes:
                raise httpx2.RemoteProtocolError(f"an event of more than {self._max_event_bytes} bytes")
            self.is_done = self.is_done or _DONE.search(seen) is not None
            tail = seen[-_TAIL_BYTES:]
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def watching(max_event_bytes: int) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A response hook that watches event streams."""

    async def watch(response: httpx2.Response) -> None:
        is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        if is_stream and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = WatchedEvents(response.stream, max_event_bytes)

    return watch


def was_closed_by_done(response: httpx2.Response) -> bool:
    """Whether a watched stream has said [DONE]."""
    return isinstance(response.stream, WatchedEvents) and response.stream.is_done
