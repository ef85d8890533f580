"""HTTP/1.1 for httpx2 by asyncio's own transports and httptools' parser.

A streamed answer arrives in hundreds of small reads, and each costs several times more with httpx2's own transport:
anyio's timeouts around every read, and h11 in Python. The layers above the transport stay httpx2's: encodings,
redirects, and the errors by which the openai SDK decides whether to retry.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final, cast

import httptools
import httpx2

_MOST_HEAD_BYTES: Final = 100 * 1024
_MOST_UNREAD_BYTES: Final = 64 * 1024  # above that, the sender waits
_IDLE_SECONDS: Final = 5.0
_NEXT_ADDRESS_SECONDS: Final = 0.25
READ: Final = "docent.read"
"""A response's extension: the function that returns its body, read by read, b"" at the end."""

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
_Origin = tuple[str, str, int]


class HttptoolsTransport(httpx2.AsyncBaseTransport):
    """Knows no proxies. A connection whose response was read to its end may be reused within five seconds. Raises
    httpx2's own errors, and honours the request timeouts `connect` and `read`. `resolver` returns the addresses
    that may be dialled for a host and port, in order, or raises OSError; without one, they are the system's."""

    def __init__(self, resolver: Resolver | None = None) -> None:
        self._resolver = resolver
        self._idle: dict[_Origin, list[_Connection]] = {}
        self._ssl_context: ssl.SSLContext | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        timeouts: dict[str, float | None] = request.extensions.get("timeout", {})
        sent = _head(request) + await request.aread()
        connection = self._kept(_origin(request.url)) or await self._opened(request, timeouts.get("connect"))
        try:
            await connection.ask(sent, timeouts.get("read"))
        except BaseException:
            connection.abort()
            raise
        return httpx2.Response(
            connection.status,
            headers=connection.headers,
            stream=_Body(connection, self._keep),
            extensions={READ: connection.read},
        )

    async def aclose(self) -> None:
        for connection in [each for kept in self._idle.values() for each in kept]:
            connection.abort()
        self._idle.clear()

    def _kept(self, origin: _Origin) -> "_Connection | None":
        kept = self._idle.get(origin, [])
        while kept:
            if (connection := kept.pop()).is_usable:
                return connection
        return None

    def _keep(self, connection: "_Connection") -> None:
        kept = self._idle.setdefault(connection.origin, [])
        kept[:] = [each for each in kept if each.is_usable]
        kept.append(connection)

    async def _opened(self, request: httpx2.Request, seconds: float | None) -> "_Connection":
        origin = scheme, host, port = _origin(request.url)
        if scheme not in {"http", "https"}:
            raise httpx2.UnsupportedProtocol(f"Not an address of the web: {scheme}://{host}", request=request)
        if scheme == "https" and self._ssl_context is None:
            self._ssl_context = httpx2.create_ssl_context()
        try:
            async with asyncio.timeout(seconds):
                hosts = await self._resolver(host, port) if self._resolver else [host]
                dialled = await _dialled(hosts, port)
                _, connection = await asyncio.get_running_loop().create_connection(
                    lambda: _Connection(origin),
                    sock=dialled,
                    ssl=self._ssl_context if scheme == "https" else None,
                    server_hostname=host if scheme == "https" else None,
                )
        except TimeoutError as error:
            raise httpx2.ConnectTimeout("no connection in time", request=request) from error
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError(str(error), request=request) from error
        return connection


class _Connection(asyncio.Protocol):
    """One connection, and the response that it is reading."""

    def __init__(self, origin: _Origin) -> None:
        self.origin = origin
        self.status = 0
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._closing: asyncio.TimerHandle | None = None  # while it is idle
        self._is_lost = False
        self._error: Exception | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._forget_answer()

    def _forget_answer(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(
            lenient_optional_cr_before_lf=True
        )  # as h11 reads, and small servers write
        self._read_seconds: float | None = None
        self.headers: list[tuple[bytes, bytes]] = []
        self._has_head = self._is_whole = self._keeps_alive = self._is_paused = False
        self._is_delimited = True
        self._head_bytes = 0
        self._unread: list[bytes] = []
        self._unread_bytes = 0
        self._waiter: asyncio.Future[None] | None = None
        self._silent_from = 0.0

    @property
    def is_usable(self) -> bool:
        """Whether the connection can send another request."""
        return not self._is_lost and not self._transport.is_closing()

    async def ask(self, request: bytes, read_seconds: float | None) -> None:
        """Send the request, and wait for the head of the response, which sets `status` and `headers`."""
        if self._closing:
            self._closing.cancel()
            self._closing = None
        self._forget_answer()
        self._read_seconds = read_seconds
        self._transport.write(request)
        while not self._has_head:
            self._raise_if_broken()
            await self._more()

    async def read(self) -> bytes:
        """Wait for more of the body; b"" at its end."""
        while not self._unread:
            if self._is_whole:
                return b""
            self._raise_if_broken()
            await self._more()
        parts, self._unread, self._unread_bytes = self._unread, [], 0
        if self._is_paused:
            self._is_paused = False
            if self.is_usable:
                self._transport.resume_reading()
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def is_kept_after(self) -> bool:
        """Whether the connection now waits for another request. Otherwise, it is closed."""
        self._stop_watch()
        if self._is_whole and not self._unread and self.is_usable and self._keeps_alive:
            self._closing = self._loop.call_later(_IDLE_SECONDS, self._transport.close)
            return True
        self.abort()
        return False

    def abort(self) -> None:
        self._stop_watch()
        self._transport.abort()

    async def _more(self) -> None:
        self._silent_from = self._loop.time()
        if self._watch is None and self._read_seconds is not None:
            self._watch = self._loop.call_later(self._read_seconds, self._look_whether_it_is_silent)
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _look_whether_it_is_silent(self) -> None:
        """Run by a single timer for many reads, which is set again if data has arrived since."""
        self._watch = None
        if self._waiter is None or self._read_seconds is None:
            return
        left = self._silent_from + self._read_seconds - self._loop.time()
        if left > 0:
            self._watch = self._loop.call_later(left, self._look_whether_it_is_silent)
        else:
            self._break(httpx2.ReadTimeout("nothing came in time"))

    def _stop_watch(self) -> None:
        if self._watch:
            self._watch.cancel()
            self._watch = None

    def _raise_if_broken(self) -> None:
        if self._error is not None:
            raise self._error

    def _break(self, error: Exception) -> None:
        self._error = self._error or error
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if not self._has_head:
            self._head_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(str(error))
        if not self._has_head and self._head_bytes > _MOST_HEAD_BYTES:
            self._fail("a head without an end")
        if self._unread_bytes > _MOST_UNREAD_BYTES and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        self._is_lost = True
        if self._closing:
            self._closing.cancel()
        if self._has_head and not self._is_delimited and error is None:
            self._is_whole = True
        if not self._is_whole:
            self._break(httpx2.ReadError(str(error)) if error else httpx2.RemoteProtocolError("broke the answer off"))
        self._wake()

    def _fail(self, what: str) -> None:
        self._break(httpx2.RemoteProtocolError(what))
        self._transport.abort()

    # the parser's side

    def on_message_begin(self) -> None:
        if self._is_whole:
            self._transport.abort()  # an unrequested response

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._has_head:  # else it is a trailer
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:
            return
        self.status = status
        self._has_head = True
        names = {name.lower() for name, _ in self.headers}
        self._is_delimited = bool(names & {b"content-length", b"transfer-encoding"})

    def on_body(self, body: bytes) -> None:
        self._unread.append(body)
        self._unread_bytes += len(body)

    def on_message_complete(self) -> None:
        if self._has_head:
            self._is_whole, self._keeps_alive = True, self._parser.should_keep_alive()
        else:
            self.headers = []  # of an informational response, before the real one


class _Body(httpx2.AsyncByteStream):
    def __init__(self, connection: _Connection, keep: Callable[[_Connection], None]) -> None:
        self._connection = connection
        self._keep = keep
        self._is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while read := await self._connection.read():
            yield read

    async def aclose(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        if self._connection.is_kept_after():
            self._keep(self._connection)


def _origin(url: httpx2.URL) -> _Origin:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def _head(request: httpx2.Request) -> bytes:
    lines = [b"%s %s HTTP/1.1" % (request.method.encode("ascii"), request.url.raw_path)]
    lines += [b"%s: %s" % (name, value) for name, value in request.headers.raw]
    if any(b"\r" in line or b"\n" in line or b"\0" in line for line in lines):
        raise httpx2.LocalProtocolError("a header that holds the end of a line", request=request)
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def _dialled(hosts: Sequence[str], port: int) -> socket.socket:
    """Connects to the address that answers first: each has a quarter of a second before the next is tried beside it, as
    in RFC 8305, so that a broken IPv6 delays nobody for long. Raises OSError."""
    loop = asyncio.get_running_loop()
    addresses = [each for host in hosts for each in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    attempts: set[asyncio.Task[socket.socket]] = set()
    errors: list[BaseException] = []
    try:
        while addresses or attempts:
            if addresses:
                family, kind, protocol, _, address = addresses.pop(0)
                attempts.add(asyncio.create_task(_connected(family, kind, protocol, address)))
            patience = _NEXT_ADDRESS_SECONDS if addresses else None
            done, attempts = await asyncio.wait(attempts, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            won = [each.result() for each in done if each.exception() is None]
            for late in won[1:]:
                late.close()
            if won:
                return won[0]
            errors += [error for each in done if (error := each.exception())]
    finally:
        for each in attempts:
            each.cancel()
        for outcome in await asyncio.gather(*attempts, return_exceptions=True):
            if isinstance(outcome, socket.socket):
                outcome.close()
    raise errors[0]


async def _connected(family: int, kind: int, protocol: int, address: Any) -> socket.socket:
    dialling = socket.socket(family, kind, protocol)
    try:
        dialling.setblocking(False)
        await asyncio.get_running_loop().sock_connect(dialling, address)
    except BaseException:
        dialling.close()
        raise
    return dialling
