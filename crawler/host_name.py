"""Which hosts a URL may name, judged by its text: canonical addresses, and names that can be public."""

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import idna

from crawler.errors import UrlRefused

IPAddress = IPv4Address | IPv6Address

RESERVED_SUFFIXES = ("localhost", "local", "internal", "home.arpa", "onion", "svc")

# Underscores occur in real hosts; IDNA alone would refuse them.
_ASCII_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")


@lru_cache(1024)  # a page's links name few hosts
def canonical_host(text: str) -> tuple[str, IPAddress | None]:
    """The host of an authority (without port; IPv6 in brackets) as (host, address).

    `host` is lower-case ASCII after UTS-46, without root dot and without brackets; `address` is set when it is
    a literal. Raises UrlRefused for every other spelling of an address and for names that cannot be public.
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
    if str(address) != text:  # digits of another script were mapped
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
