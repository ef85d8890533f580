"""Resolves a name, checks all its addresses, and connects to one of them. Every connection of this library is opened
so.

The connection uses the addresses that were checked, which prevents DNS rebinding. TLS is negotiated by the caller, and
certificates are checked against the host name.
"""

import socket
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

import anyio
import httpcore

from crawler.address_policy import ALLOWED_PORTS, AddressPolicy, IPAddress, canonical_host, parse_address
from crawler.errors import AddressRefused

# The signatures below, `timeout` included, are httpcore's.
SocketOptions = Iterable[httpcore.SOCKET_OPTION]


class Resolver(Protocol):
    """Resolves a host name."""

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """All A and AAAA addresses as text, best first; [] or OSError if there are none."""
        ...


class Connector(Protocol):
    """Opens a TCP connection to a checked address, as `httpcore.AnyIOBackend` does."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """`host` is an address. Raises httpcore.ConnectError or httpcore.ConnectTimeout."""
        ...


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """The operating system's resolver: IPv4 and IPv6 addresses in the system's order."""
    answers = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))


class GuardedDialler(httpcore.AsyncNetworkBackend):
    """A network backend for httpcore that never connects to an address that the policy refuses. AddressRefused and
    UrlRefused pass through httpcore unchanged; all other errors are httpcore's."""

    def __init__(
        self,
        policy: AddressPolicy,
        resolver: Resolver = system_resolver,
        connector: Connector | None = None,
        ports: Collection[int] = ALLOWED_PORTS,
    ) -> None:
        self._policy = policy
        self._ports = ports
        self._resolver = resolver
        self._connector = connector or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            with anyio.fail_after(timeout):
                addresses = await self.checked_addresses(host, port)
                return await self._dial(addresses, port, timeout, local_address, socket_options)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"no connection to {host} within {timeout} s") from error

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109
        socket_options: SocketOptions | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise AddressRefused("a crawl never opens a local socket")

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    async def checked_addresses(self, host: str, port: int) -> list[IPAddress]:
        """The addresses of the host, all checked. Raises AddressRefused, UrlRefused, or httpcore.ConnectError if there
        are none."""
        literal = parse_address(host)
        if literal is not None and self._policy.allows_literal(literal, port):
            return [literal]
        # Repeats the checks of ports and names, because this is the last one before connecting.
        if port not in self._ports:
            raise AddressRefused(f"port {port} is not allowed")
        if literal is not None:
            self._require_public(host, literal)
            return [literal]
        canonical_host(host)
        try:
            answers = await self._resolver(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"the host name {host} is unknown") from error
        addresses = [self._checked_answer(host, answer) for answer in answers]
        if not addresses:
            raise httpcore.ConnectError(f"the host name {host} has no address")
        return addresses

    def _checked_answer(self, host: str, answer: str) -> IPAddress:
        address = parse_address(answer)
        if address is None:
            raise AddressRefused(f"{host} resolves to something that is not an address")
        self._require_public(host, address)
        return address

    def _require_public(self, host: str, address: IPAddress) -> None:
        if self._policy.refusal(address):
            raise AddressRefused(f"{host} resolves to an address that is not public")

    async def _dial(
        self,
        addresses: Sequence[IPAddress],
        port: int,
        timeout: float | None,  # noqa: ASYNC109
        local_address: str | None,
        socket_options: SocketOptions | None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that responds; each gets an equal share of the remaining time."""
        last = len(addresses) - 1
        share = None if timeout is None else timeout / len(addresses)
        for position, address in enumerate(addresses):
            try:
                return await self._connector.connect_tcp(str(address), port, share, local_address, socket_options)
            except httpcore.ConnectError as error:
                if position == last:
                    raise httpcore.ConnectError(f"nothing answers on port {port}") from error
            except httpcore.ConnectTimeout:
                if position == last:
                    raise
        raise httpcore.ConnectError("no address to dial")
