"""The client's address, and whether the client used TLS. Addresses serve only for limits and are never stored or
logged."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from starlette.requests import Request

_Address = IPv4Address | IPv6Address


FORWARDED_FOR: Final = "X-Forwarded-For"


class ClientAddresses:
    """Reads addresses from the header of trusted proxies. X-Forwarded-For is a list, read from the right as far as
    trusted proxies wrote it; any other header (Fly-Client-IP, X-Real-IP, CF-Connecting-IP) has one address."""

    def __init__(self, trusted_proxies: Sequence[str] = (), header: str = FORWARDED_FOR) -> None:
        """`trusted_proxies` are IP addresses or networks. Raises ValueError for anything else."""
        self._trusted = [ip_network(proxy, strict=False) for proxy in trusted_proxies]
        self._header = header
        self._is_list = header.lower() == FORWARDED_FOR.lower()

    def limit_key(self, request: Request) -> str:
        """The client's IPv4 address or IPv6 /64 network, which a caller can hardly change."""
        address = self._address(request)
        return "unknown" if address is None else _key(address)

    def network_key(self, request: Request) -> str:
        """The client's IPv4 /24 or IPv6 /48 network, which is often assigned to one organisation."""
        address = self._address(request)
        if address is None:
            return "unknown"
        plain = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        found = plain or address
        return str(ip_network((found, 24 if isinstance(found, IPv4Address) else 48), strict=False))

    def connection_key(self, host: str) -> str | None:
        """`limit_key` for the peer of a connection; None for a trusted proxy, which has many clients."""
        address = _parsed(host)
        return None if address is None or self._is_trusted(address) else _key(address)

    def came_over_tls(self, request: Request) -> bool:
        """Whether the client connected by TLS, to us or to a trusted proxy."""
        if request.scope.get("scheme") == "https":  # cheaper than `request.url`, which is built for each request
            return True
        peer = _parsed(request.client.host) if request.client else None
        if peer is None or not self._is_trusted(peer):
            return False
        forwarded = request.headers.get("x-forwarded-proto", "")
        return forwarded.rpartition(",")[2].strip().lower() == "https"

    def _address(self, request: Request) -> _Address | None:
        current = _parsed(request.client.host) if request.client else None
        lines = request.headers.getlist(self._header)
        if not self._is_list:
            named = _parsed(lines[0].strip()) if len(lines) == 1 else None
            return named if named is not None and current is not None and self._is_trusted(current) else current
        hops = [hop.strip() for line in lines for hop in line.split(",")]
        while hops and current is not None and self._is_trusted(current):
            named = _parsed(hops.pop())
            if named is None:
                break
            current = named
        return current

    def _is_trusted(self, address: _Address) -> bool:
        plain = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        return any((plain or address) in network for network in self._trusted)


def _key(address: _Address) -> str:
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ip_network((address, 64), strict=False))
    return str(address)


@lru_cache(maxsize=1024)  # each request needs it several times, and many come through one proxy
def _parsed(text: str) -> _Address | None:
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None
