"""Which network addresses may be dialled. Uses its own table, because `ipaddress.is_global` allows NAT64, 6to4,
multicast and metadata addresses, and changes between Python versions."""

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address

from crawler.host_name import IPAddress

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
# The last 32 bits of these are the IPv4 address that would be reached.
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
        """Why the address is not public, or None if it is. The reason never contains the address, because people see it
        who must not learn what a name resolves to inside a network."""
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
