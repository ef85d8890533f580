"""uvicorn's HTTP protocol, with limits for what a client may send and how long it may take.

    head     from the connection, or its first byte, to the blank line    431 past its size, 408 past its time
    body     to its last byte                                             408 past its time
    answer   unlimited while the client reads it                          closed when the client stops reading
    idle     after an answer, until the next request begins               closed after uvicorn's `timeout_keep_alive`

httptools buffers an unfinished header and only reports complete ones, so its input is counted here, in slices.

While the client does not read an answer, everything on its connection waits: the application cannot write, nothing more
is read, and pipelined requests are not begun.
"""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Final, Literal

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from app.web.errors import STATUS_OF_CODE
from app.web.middleware.backpressure import BYTES_A_SECOND, JointFlow, StallWatch, Timer, limit_send_buffer
from app.web.middleware.connection_limits import OpenConnections, Refused

_SLICE_BYTES: Final = 16 * 1024
_MOST_PIPELINED: Final = 16
_Reading = Literal["nothing", "head", "body"]  # what the parser reads; trailers are of the body
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
    """Stops the parser after a request was refused, so that the application never receives the request."""


@dataclass(slots=True)
class _Head:
    """What has been read of a request's headers and trailers."""

    bytes: int = 0
    fields: int = 0
    hosts: int = 0  # Host headers


@dataclass(slots=True)
class _Body:
    """What has been read of a body since its deadline began, at a time of the event loop."""

    since: float = 0.0
    bytes: int = 0


class BoundedHttp(HttpToolsProtocol):
    """One connection. `bounded_http` creates the class for a server."""

    _all: OpenConnections

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline = Timer(self.loop)  # of the head or the body
        self._stall: StallWatch
        self._reading: _Reading = "nothing"
        self._head = _Head()
        self._body = _Body()
        self._unreported_bytes = 0  # that the parser has read since it last reported anything
        self._running: RequestResponseCycle | None = None  # may be earlier than `cycle`, the latest request read
        self._is_unsent = False  # an answer is complete, but the client has not read it yet
        self._is_closed = False  # nothing more is read

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]  # uvicorn narrows the type
        self.flow = JointFlow(self.transport)
        limit_send_buffer(self.transport)
        self._stall = StallWatch(self.loop, self.transport, self._all.limits.stall_seconds, self._has_stalled)
        refused = self._all.enter(self, self.client[0] if self.client else None)
        if refused:
            self._refuse(refused)
        else:
            self._deadline.start(self._all.limits.header_seconds, self._head_is_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_cycles()
        self._deadline.stop()
        self._stall.stop()
        self._unset_keepalive_if_required()
        self._all.left(self)
        super().connection_lost(exc)

    def leave(self) -> None:
        self._end_cycles()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Like uvicorn's, but in slices, and only a new request stops the timer of an idle connection."""
        for start in range(0, len(data), _SLICE_BYTES):
            if self._is_closed:
                return
            part = data[start : start + _SLICE_BYTES]
            self._unreported_bytes += len(part)
            try:
                self.parser.feed_data(part)
            except httptools.HttpParserUpgrade:
                return  # the request is answered without an upgrade
            except httptools.HttpParserError:
                self._refuse(Refused.MALFORMED)  # does nothing if a callback has refused the request
                return
            self._bound_head()
        if self._reading == "body" and not self._deadline.is_running and not self._is_closed:
            self._body.since = self.loop.time()
            self._deadline.start(self._all.limits.body_seconds, self._body_is_late)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._unset_keepalive_if_required()
        self._unreported_bytes = 0
        self._reading, self._head, self._body = "head", _Head(), _Body()
        if not self._deadline.is_running:
            self._deadline.start(self._all.limits.header_seconds, self._head_is_late)

    def on_url(self, url: bytes) -> None:
        self._unreported_bytes = 0
        self._head.bytes += len(url)
        self._bound_head()
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._unreported_bytes = 0
        self._head.fields += 1
        self._head.bytes += len(name) + len(value) + len(b": \r\n")
        self._bound_head()
        if self._reading == "head":  # a trailer must not change the headers that the application has
            self._head.hosts += name.lower() == b"host"
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._deadline.stop()
        self._unset_keepalive_if_required()
        hosts = self._head.hosts
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() == "1.1"):
            self._refuse(Refused.HOST)  # RFC 9112, 3.2
        if self._is_closed:
            raise _RefusedRequest
        self._reading, self._unreported_bytes = "body", 0
        super().on_headers_complete()
        if len(self.pipeline) > _MOST_PIPELINED:
            self._refuse(Refused.PIPELINED)

    def on_body(self, body: bytes) -> None:
        self._unreported_bytes = 0
        if self._is_answering:  # bytes extend the deadline of a body only while its request is being answered
            self._body.bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unreported_bytes = 0
        self._reading = "nothing"
        self._deadline.stop()
        if self._is_answering:
            self._all.works(self)
        else:
            self._wait_for_next()
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._all.stalls(self)
        self._stall.start()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._all.flows(self)
        self._stall.stop()
        if self._is_unsent and not self._is_closed:
            self._is_unsent = False
            self.on_response_complete()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._stall.start()  # bytes may still be unsent

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        if self.flow.write_paused:
            self._is_unsent = True
            return
        super().on_response_complete()
        if self.transport.is_closing():
            self._stall.start()
        if self._is_answering:
            return
        self._all.waits(self)
        if self._reading == "body":  # answered early: the rest may still arrive before its deadline
            self._unset_keepalive_if_required()

    @property
    def _is_answering(self) -> bool:
        cycle = self._latest
        return cycle is not None and not cycle.response_complete

    @property
    def _latest(self) -> RequestResponseCycle | None:
        return self.cycle  # None at first, unlike uvicorn's annotation

    def _wait_for_next(self) -> None:
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _bound_head(self) -> None:
        limits = self._all.limits
        if self._head.bytes + self._unreported_bytes > limits.header_bytes or self._head.fields > limits.headers:
            self._refuse(Refused.HEADER)

    def _head_is_late(self) -> None:
        if self._is_answering:
            return  # an earlier request is being answered; the timer of an idle connection starts after that
        if self._reading == "head":
            self._refuse(Refused.HEADER_LATE)
        else:
            self.transport.close()  # without an error: browsers open connections in advance

    def _body_is_late(self) -> None:
        now = self.loop.time()
        if self.flow.read_paused:  # the delay is ours: arrived bytes are not read yet
            self._body.since = now
        left = self._body.since + self._all.limits.body_seconds + self._body.bytes / BYTES_A_SECOND - now
        if left > 0:
            self._deadline.start(left, self._body_is_late)
        else:
            self._refuse(Refused.BODY_LATE)

    def _has_stalled(self) -> None:
        self._all.meter.refused(Refused.STALLED)
        self.leave()

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
        self._stall.start()

    def _may_answer(self) -> bool:
        """Whether a refusal can be sent: no other answer is unfinished, and the request has none yet."""
        cycle = self._latest
        if self.pipeline or cycle is None or self._is_unsent:
            return not self.pipeline and not self._is_unsent
        return cycle.response_complete if self._reading == "head" else not cycle.response_started

    def _end_cycles(self) -> None:
        """Notify the application of the disconnect now. The running request may be an earlier one than the latest."""
        self._is_closed = True
        for cycle in (self._running, self._latest):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()


def bounded_http(connections: OpenConnections) -> type[BoundedHttp]:
    """A protocol class for `uvicorn.Config(http=...)`."""
    return type("BoundedHttp", (BoundedHttp,), {"_all": connections})
