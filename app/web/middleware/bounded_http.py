"""uvicorn's HTTP protocol, with limits for what a client may send and how long it may take.

    head     from the connection, or its first byte, to the blank line    431 past its size, 408 past its time
    body     to its last byte                                             408 past its time
    answer   as long as it takes, and its reader takes more of it         closed when that stands still
    idle     after an answer, whatever comes that is no request           closed after uvicorn's `timeout_keep_alive`

httptools only reports complete headers, and buffers an unfinished one; so the bytes that it was given and has not used
yet are counted here, in slices.

An answer that its reader does not take stops everything on its connection: the application waits before it writes more,
nothing more is read, and requests that were sent ahead are not begun.
"""

import asyncio
import json
import socket
from asyncio import TimerHandle
from collections.abc import Callable
from typing import Any, Final

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from app.web.errors import STATUS_OF_CODE
from app.web.middleware.connection_limits import OpenConnections, Refused

_SLICE_BYTES: Final = 16 * 1024
_BYTES_A_SECOND: Final = 1024
_MOST_PIPELINED: Final = 16
_UNSENT_OPTION: Final[int | None] = getattr(socket, "TCP_NOTSENT_LOWAT", None)  # of Linux and macOS
_UNSENT_BYTES: Final = 64 * 1024
_ANSWERS: Final = {
    Refused.MALFORMED: ("malformed_http", "This is not HTTP/1.1 as its standard writes it. Check the request."),
    Refused.PIPELINED: ("malformed_http", f"Send at most {_MOST_PIPELINED} requests ahead of their answers."),
    Refused.HOST: ("malformed_http", "Send exactly one Host header; HTTP/1.0 may leave it out."),
    Refused.HEADER: ("headers_too_large", "The headers are too large or too many. Send fewer."),
    Refused.HEADER_LATE: ("too_slow", "The headers took too long to arrive. Send them at once."),
    Refused.BODY_LATE: ("too_slow", "The body took too long to arrive. Send it faster."),
    Refused.ADDRESS: ("overloaded", "Too many connections from this address. Close some, or try again."),
    Refused.FULL: ("overloaded", "Too many connections. Try again in a moment."),
}


class _RefusedRequest(Exception):
    """Ends the parsing of a request that was refused, so that the application never gets it."""


class _Flow(FlowControl):
    """Reads nothing while it cannot write."""

    _should_read = True

    def pause_reading(self) -> None:
        self._should_read = False
        self._settle()

    def resume_reading(self) -> None:
        self._should_read = True
        self._settle()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._settle()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._settle()

    def _settle(self) -> None:
        if self._transport.is_closing():
            return
        if self._should_read and not self.write_paused:
            super().resume_reading()
        else:
            super().pause_reading()


class BoundedHttp(HttpToolsProtocol):
    """One connection. `bounded_http` makes the class that a server takes."""

    _all: OpenConnections

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: TimerHandle | None = None
        self._in_head = self._in_body = self._is_closed = False
        self._head_bytes = self._head_count = 0  # of this request, its trailers included
        self._held_bytes = 0  # given to the parser, which has made nothing of them
        self._has_progress = False
        self._body_bytes = 0
        self._body_began = 0.0
        self._hosts = 0
        self._running: RequestResponseCycle | None = None  # `cycle` is the latest that was read
        self._is_unsent = False  # an answer is complete, and its reader has not taken it
        self._stall: TimerHandle | None = None
        self._stalled_bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]  # uvicorn narrows it
        self.flow = _Flow(self.transport)
        _buffer_little(self.transport)
        refused = self._all.enter(self, self.client[0] if self.client else None)
        if refused:
            self._refuse(refused)
        else:
            self._arm(self._all.limits.header_seconds, self._head_is_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_cycles()
        self._disarm()
        self._stop_watching()
        self._unset_keepalive_if_required()
        self._all.left(self)
        super().connection_lost(exc)

    def leave(self) -> None:
        self._end_cycles()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Like uvicorn's, but in slices; only a request, not any byte, stops the timer of an idle connection."""
        for start in range(0, len(data), _SLICE_BYTES):
            if self._is_closed:
                return
            part = data[start : start + _SLICE_BYTES]
            self._has_progress = False
            try:
                self.parser.feed_data(part)
            except httptools.HttpParserUpgrade:
                return  # answered as the plain request that it also is
            except httptools.HttpParserError:
                self._refuse(Refused.MALFORMED)  # unless one of the callbacks has refused it
                return
            self._held_bytes = 0 if self._has_progress else self._held_bytes + len(part)
            self._bound_head()
        if self._in_body and self._deadline is None and not self._is_closed:
            self._body_began = self.loop.time()
            self._arm(self._all.limits.body_seconds, self._body_is_late)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._unset_keepalive_if_required()
        self._in_head = self._has_progress = True
        self._head_bytes = self._head_count = self._body_bytes = self._hosts = 0
        if self._deadline is None:
            self._arm(self._all.limits.header_seconds, self._head_is_late)

    def on_url(self, url: bytes) -> None:
        self._head_bytes += len(url)
        self._bound_head()
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._has_progress = True
        self._held_bytes = 0
        self._head_count += 1
        self._head_bytes += len(name) + len(value) + len(b": \r\n")
        self._bound_head()
        if self._in_head and name.lower() == b"host":
            self._hosts += 1
        if self._in_head:  # trailers come when the application has begun, and may not change what it was told
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._disarm()
        self._unset_keepalive_if_required()
        if self._hosts > 1 or (self._hosts == 0 and self.parser.get_http_version() == "1.1"):
            self._refuse(Refused.HOST)  # RFC 9112, 3.2
        if self._is_closed:
            raise _RefusedRequest
        self._in_head, self._in_body, self._has_progress = False, True, True
        super().on_headers_complete()
        if len(self.pipeline) > _MOST_PIPELINED:
            self._refuse(Refused.PIPELINED)

    def on_body(self, body: bytes) -> None:
        self._has_progress = True
        if self._is_answering:  # more time is for what is wanted, not for what was refused
            self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._has_progress = True
        self._in_body = False
        self._disarm()
        if self._is_answering:
            self._all.works(self)
        else:
            self._wait_for_next()
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._all.stalls(self)
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._all.flows(self)
        self._stop_watching()
        if self._is_unsent and not self._is_closed:
            self._is_unsent = False
            self.on_response_complete()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch()  # for what is still to be sent

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        if self.flow.write_paused:
            self._is_unsent = True
            return
        super().on_response_complete()
        if self.transport.is_closing():
            self._watch()
        if self._is_answering:
            return
        self._all.waits(self)
        if self._in_body:  # it was answered before it was read: the rest may still come, in its own time
            self._unset_keepalive_if_required()

    @property
    def _is_answering(self) -> bool:
        cycle = self._latest
        return cycle is not None and not cycle.response_complete

    @property
    def _latest(self) -> RequestResponseCycle | None:
        return self.cycle  # uvicorn's annotation leaves out that there is none at first

    def _wait_for_next(self) -> None:
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _bound_head(self) -> None:
        limits = self._all.limits
        if self._head_bytes + self._held_bytes > limits.header_bytes or self._head_count > limits.headers:
            self._refuse(Refused.HEADER)

    def _head_is_late(self) -> None:
        self._deadline = None
        if self._is_answering:
            return  # to a request before this one; when it is answered, the clock of an idle connection runs
        if self._in_head:
            self._refuse(Refused.HEADER_LATE)
        else:
            self.transport.close()  # browsers open connections ahead of need

    def _body_is_late(self) -> None:
        self._deadline = None
        now = self.loop.time()
        if self.flow.read_paused:  # by us: what has come is not read yet
            self._body_began = now
        left = self._body_began + self._all.limits.body_seconds + self._body_bytes / _BYTES_A_SECOND - now
        if left > 0:
            self._arm(left, self._body_is_late)
        else:
            self._refuse(Refused.BODY_LATE)

    def _watch(self) -> None:
        """From now on, what is to be sent has to become less."""
        self._stop_watching()
        self._stalled_bytes = self.transport.get_write_buffer_size()
        if self._stalled_bytes and not self._is_closed:
            self._stall = self.loop.call_later(self._all.limits.stall_seconds, self._is_stalled)

    def _is_stalled(self) -> None:
        left = self.transport.get_write_buffer_size()
        if self._stalled_bytes - left < self._all.limits.stall_seconds * _BYTES_A_SECOND and left:
            self._all.meter.refused(Refused.STALLED)
            self.leave()
        else:
            self._watch()

    def _stop_watching(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def _arm(self, seconds: float, late: Callable[[], None]) -> None:
        self._deadline = self.loop.call_later(seconds, late)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, reason: Refused) -> None:
        if self._is_closed:
            return
        self._all.meter.refused(reason)
        if self._may_answer():
            code, message = _ANSWERS[reason]
            body = json.dumps({"error": {"code": code, "message": message}}).encode()
            head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
            self.transport.write(STATUS_LINE[STATUS_OF_CODE[code]] + head.encode() + body)
        self._end_cycles()
        self.transport.close()
        self._watch()

    def _may_answer(self) -> bool:
        """Never in the middle of another answer, or twice."""
        cycle = self._latest
        if self.pipeline or cycle is None or self._is_unsent:
            return not self.pipeline and not self._is_unsent
        return cycle.response_complete if self._in_head else not cycle.response_started

    def _end_cycles(self) -> None:
        """Tell the application now what it is told as soon as the connection is lost. What runs may answer a request
        before the latest."""
        self._is_closed = True
        for cycle in (self._running, self._latest):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()


def _buffer_little(transport: asyncio.Transport) -> None:
    """The system would take megabytes ahead of a reader, keep them for one who reads nothing, and show nothing of the
    progress of one who reads slowly until a third of them has left."""
    connected: socket.socket | None = transport.get_extra_info("socket")
    if connected is not None and _UNSENT_OPTION is not None and connected.family in (socket.AF_INET, socket.AF_INET6):
        connected.setsockopt(socket.IPPROTO_TCP, _UNSENT_OPTION, _UNSENT_BYTES)


def bounded_http(connections: OpenConnections) -> type[BoundedHttp]:
    """For `uvicorn.Config(http=...)`."""
    return type("BoundedHttp", (BoundedHttp,), {"_all": connections})
