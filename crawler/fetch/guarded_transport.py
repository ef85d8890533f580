"""An httpx transport that cannot reach refused addresses, and requests over it. The crawler uses httpx only here."""

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol

import httpcore
import httpx

from crawler.address_policy import AddressPolicy
from crawler.errors import ConnectTimedOut, TimedOut, Unreachable
from crawler.fetch.guarded_dialler import Connector, GuardedDialler, Resolver, system_resolver
from crawler.url_rules import CheckedUrl

# Repeated headers are joined by commas, but these by line feeds: each X-Robots-Tag may be for another robot.
LINE_FOLDED_HEADERS = frozenset({"x-robots-tag"})

# OpenSSL's errors for a server that does not speak TLS.
_NO_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST"})


@dataclass(frozen=True, slots=True)
class Answer:
    """The head of a response. Header names are lower-case. `chunks` yields the body once, still encoded, and raises
    TimedOut or Unreachable."""

    status: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]


class Wire(Protocol):
    """Sends one request and follows no redirects."""

    def send(
        self, method: str, url: CheckedUrl, headers: Mapping[str, str], body: bytes | None = None
    ) -> AbstractAsyncContextManager[Answer]:
        """Open the response; leaving the block frees the connection.

        Raises AddressRefused, TimedOut, Unreachable.
        """
        ...


@cache
def _believed_authorities() -> ssl.SSLContext:
    """The TLS context. It is created once, because reading the authorities' certificates takes 30 ms and a megabyte."""
    return httpx.create_ssl_context(trust_env=False)


_MAX_CONNECTIONS: Final = 20


class GuardedTransport(httpx.AsyncHTTPTransport):
    """An httpx transport whose every connection goes through a GuardedDialler. No proxies, HTTP/1.1 only."""

    def __init__(
        self,
        policy: AddressPolicy | None = None,
        resolver: Resolver = system_resolver,
        connector: Connector | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        context = ssl_context or _believed_authorities()
        super().__init__(verify=context, trust_env=False)
        # httpx has no public way to choose the network backend; a test checks this line.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            network_backend=GuardedDialler(policy or AddressPolicy(), resolver, connector),
            max_connections=_MAX_CONNECTIONS,
            max_keepalive_connections=_MAX_CONNECTIONS,
            keepalive_expiry=10.0,
        )


class GuardedWire:
    """A `Wire` on a GuardedTransport. It bypasses httpx.AsyncClient: no cookies, no redirects, no environment."""

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport,
        connect_timeout_seconds: float = 10.0,
        read_timeout_seconds: float = 15.0,
    ) -> None:
        self._transport = transport
        self._timeout = {
            "connect": connect_timeout_seconds,
            "read": read_timeout_seconds,
            "write": read_timeout_seconds,
            "pool": read_timeout_seconds,
        }

    async def aclose(self) -> None:
        """Close every connection."""
        await self._transport.aclose()

    @asynccontextmanager
    async def send(
        self, method: str, url: CheckedUrl, headers: Mapping[str, str], body: bytes | None = None
    ) -> AsyncIterator[Answer]:
        """See `Wire.send`."""
        response = await self._send(method, url, headers, body)
        try:
            async with aclosing(_chunks(response, url)) as chunks:  # the caller may stop before the end of the body
                yield Answer(response.status_code, _folded(response.headers), chunks)
        finally:
            await response.aclose()

    async def exchange(
        self, method: str, url: CheckedUrl, headers: Mapping[str, str], body: bytes | None, max_bytes: int
    ) -> tuple[int, bytes]:
        """Send a request once; return the status and the response body, still encoded and cut at `max_bytes`. Raises as
        `Wire.send` does."""
        received = bytearray()
        async with self.send(method, url, headers, body) as answer:
            async for chunk in answer.chunks:
                received += chunk
                if len(received) >= max_bytes:
                    break
        return answer.status, bytes(received[:max_bytes])

    async def post(self, url: CheckedUrl, headers: Mapping[str, str], body: bytes) -> int:
        """Send `body` once; return the status and leave the response body unread. Raises as `Wire.send` does."""
        response = await self._send("POST", url, headers, body)
        await response.aclose()
        return response.status_code

    async def _send(
        self, method: str, url: CheckedUrl, headers: Mapping[str, str], body: bytes | None = None
    ) -> httpx.Response:
        # Send the target exactly as it was checked; httpx would quote it again.
        extensions = {"timeout": self._timeout, "target": url.target.encode("ascii")}
        try:
            request = httpx.Request(method, str(url), headers=dict(headers), content=body, extensions=extensions)
            return await self._transport.handle_async_request(request)
        except (httpx.TransportError, httpx.InvalidURL, UnicodeError) as error:
            raise _in_our_words(error, url) from error


async def _chunks(response: httpx.Response, url: CheckedUrl) -> AsyncGenerator[bytes, None]:
    assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - what the async transport returns
    try:
        async for chunk in response.stream:
            yield chunk
    except httpx.TransportError as error:
        raise _in_our_words(error, url) from error


def _folded(headers: httpx.Headers) -> dict[str, str]:
    folded: dict[str, str] = {}
    for name, value in headers.multi_items():
        key = name.lower()
        separator = "\n" if key in LINE_FOLDED_HEADERS else ", "
        folded[key] = f"{folded[key]}{separator}{value}" if key in folded else value
    return folded


def _in_our_words(error: Exception, url: CheckedUrl) -> TimedOut | Unreachable:
    if refusal := _tls_refusal(error, url):
        return Unreachable(refusal)
    detail = f" ({error})" if str(error) else ""
    if isinstance(error, httpx.ConnectTimeout):
        return ConnectTimedOut(f"{url.host} refuses the connection{detail}")
    if isinstance(error, httpx.TimeoutException):
        return TimedOut(f"{url.host} did not respond in time{detail}")
    if isinstance(error, httpx.ConnectError):
        return Unreachable(f"{url.host} cannot be reached{detail}")
    if isinstance(error, httpx.RemoteProtocolError):
        return Unreachable(f"{url.host} sent no valid HTTP response")
    return Unreachable(f"the connection to {url.host} broke")


def _tls_refusal(error: BaseException, url: CheckedUrl) -> str:
    """A message for a TLS error, without OpenSSL's codes; "" for any other error."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if cause is None:
        return ""
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"{url.host} has no valid certificate ({cause.verify_message.rstrip('.')})"
    if cause.reason in _NO_TLS:
        return f"{url.host} does not use https on port {url.port}; its address may begin with http://"
    return f"{url.host} refuses an encrypted connection"
