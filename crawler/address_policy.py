"""Checks host names and network addresses. Uses its own tables of refused addresses, because `ipaddress.is_global`
allows NAT64, 6to4, multicast and metadata addresses, and changes between Python versions."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import idna

from crawler.errors import UrlRefused

# Which hosts a URL may name, judged by its text: canonical addresses, and names that can be public.
IPAddress = IPv4Address | IPv6Address

RESERVED_SUFFIXES = ("localhost", "local", "internal", "home.arpa", "onion", "svc")

# Underscores occur in real hosts; IDNA alone would refuse them.
_ASCII_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")


@lru_cache(1024)  # a page's links name few hosts
def canonical_host(text: str) -> tuple[str, IPAddress | None]:
    """Parse the host of an authority (without port; IPv6 in brackets) into (host, address).

    `host` is lower-case ASCII after UTS-46, without root dot and brackets; `address` is set if the host is an IP
    address. Raises UrlRefused for every non-canonical spelling of an address and for names that cannot be public.
    """
    if text.startswith("["):
        return _bracketed(text)
    host = _to_ascii(text)
    labels = host.split(".")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        return _dotted_quad(text)
    host = host.removesuffix(".")
    labels = host.split(".")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        raise UrlRefused(f"{text!r} is not a plain IPv4 address")
    _require_public_name(host, labels)
    return host, None


def _bracketed(text: str) -> tuple[str, IPAddress]:
    if not text.endswith("]") or not text.isascii():
        raise UrlRefused("the brackets of the IPv6 address do not match")
    try:
        address = IPv6Address(text[1:-1])
    except AddressValueError as error:
        raise UrlRefused(f"{text!r} is not an IPv6 address") from error
    if address.scope_id is not None:
        raise UrlRefused("an IPv6 address with a zone is a local address")
    return str(address), address


def _dotted_quad(text: str) -> tuple[str, IPAddress]:
    try:
        address = IPv4Address(text)
    except AddressValueError as error:
        raise UrlRefused(f"{text!r} is not a plain IPv4 address") from error
    if str(address) != text:  # it was written with digits of another script
        raise UrlRefused(f"{text!r} is not a plain IPv4 address")
    return text, address


def _to_ascii(text: str) -> str:
    """UTS-46, non-transitional, then one A-label for each label."""
    try:
        mapped = text.lower() if text.isascii() else idna.uts46_remap(text, std3_rules=False, transitional=False)
        return ".".join(_ascii_label(label) for label in mapped.split("."))
    except (idna.IDNAError, UnicodeError) as error:
        raise UrlRefused(f"{text!r} is not a valid host name") from error


def _ascii_label(label: str) -> str:
    if not label.isascii():
        return idna.alabel(label).decode("ascii")
    if label.startswith("xn--"):
        # A punycode label that does not encode its own Unicode form is a disguise.
        if idna.alabel(idna.ulabel(label)).decode("ascii") != label:
            raise UrlRefused(f"{label!r} is not a valid punycode label")
        return label
    return label


def _require_public_name(host: str, labels: list[str]) -> None:
    if len(host) > 253:
        raise UrlRefused("the host name is longer than 253 characters")
    if not all(_ASCII_LABEL.fullmatch(label) for label in labels):
        raise UrlRefused(f"{host!r} is not a valid host name")
    if any(host == suffix or host.endswith(f".{suffix}") for suffix in RESERVED_SUFFIXES):
        raise UrlRefused(f"{host!r} is a name for local networks")
    if len(labels) < 2:
        raise UrlRefused(f"{host!r} has no domain, so it can only be a local name")


Endpoint = tuple[str, int]
ALLOWED_PORTS = frozenset({80, 443, 8080, 8443})

# IANA IPv4 Special-Purpose Address Registry, then other addresses that would reveal a machine's secrets.
REFUSED_IPV4: tuple[tuple[IPv4Network, str], ...] = tuple(
    (IPv4Network(block), what)
    for block, what in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "shared address space"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "AS112"),
        ("192.52.193.0/24", "AMT relays"),
        ("192.88.99.0/24", "6to4 relays"),
        ("192.168.0.0/16", "a private network"),
        ("192.175.48.0/24", "AS112"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("168.63.129.16/32", "cloud metadata"),
    )
)
PUBLIC_IPV6 = IPv6Network("2000::/3")
REFUSED_IPV6: tuple[tuple[IPv6Network, str], ...] = tuple(
    (IPv6Network(block), what)
    for block, what in (
        ("2001::/23", "protocol assignments"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
    )
)
# The last 32 bits of addresses in these networks are the IPv4 address that would be reached.
EMBEDDING_IPV6 = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Public addresses, and in addition exactly the endpoints in `allowed`: (ip literal, port).

    `allowed` is for demos and tests on loopback. It applies only to a URL with that very address and port; a name that
    resolves to it stays refused, and so does every other private address and port.
    """

    allowed: frozenset[Endpoint] = field(default_factory=frozenset)

    def allows_literal(self, address: IPAddress, port: int) -> bool:
        """Whether this endpoint is in `allowed`, whatever the tables say."""
        return (str(address), port) in self.allowed

    def refusal(self, address: IPAddress) -> str | None:
        """Why the address is not public, or None if it is. The reason omits the address, because its readers must not
        learn what a name resolves to inside a network."""
        if isinstance(address, IPv4Address):
            return _ipv4_refusal(address)
        if address.scope_id is not None:
            return "local to one network"
        if any(address in network for network in EMBEDDING_IPV6):
            return _ipv4_refusal(IPv4Address(int(address) & 0xFFFF_FFFF))
        if address not in PUBLIC_IPV6:
            return "not of the public part of IPv6"
        return next((what for block, what in REFUSED_IPV6 if address in block), None)


def parse_address(text: str) -> IPAddress | None:
    """The address that a resolver returned as `text`; None if it is none."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def _ipv4_refusal(address: IPv4Address) -> str | None:
    return next((what for block, what in REFUSED_IPV4 if address in block), None)
