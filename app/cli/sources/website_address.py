"""Parses a website's address as people type it, and suggests the option that allows a private one."""

from collections.abc import Collection
from dataclasses import replace
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from app.core.errors import InvalidInput
from crawler.address_policy import ALLOWED_PORTS, AddressPolicy
from crawler.errors import UrlRefused
from crawler.url_rules import check_url

if TYPE_CHECKING:
    from app.settings import Settings
    from app.sources.discovery import SiteIdentity

_LOCALHOST, _LOOPBACK = "localhost", "127.0.0.1"


def website_address(typed: str) -> str:
    """ "localhost:8799" -> "http://127.0.0.1:8799", "www.example.com" -> "https://www.example.com". The crawler accepts
    private hosts only as IP addresses, so localhost is replaced by its own."""
    address = typed.strip()
    if "://" not in address:
        host = urlsplit(f"//{address}").hostname or ""
        address = f"{'http' if host == _LOCALHOST or _number(host) else 'https'}://{address}"
    parts = urlsplit(address)
    if parts.hostname == _LOCALHOST:
        parts = parts._replace(netloc=parts.netloc[: -len(_place(parts.netloc))] + _as_number(_place(parts.netloc)))
    return urlunsplit(parts)


def check_website(address: str, allowed: Collection[tuple[str, int]]) -> None:
    """Raises InvalidInput if the crawler refuses the address. The message names the option that allows it."""
    try:
        check_url(address, AddressPolicy(frozenset(allowed)))
    except UrlRefused as error:
        hint = allow_hint(address, allowed)
        raise InvalidInput("url", f"This address cannot be read: {error.reason}. {hint}".rstrip()) from error


async def website_identity(settings: "Settings", address: str) -> "SiteIdentity":
    """How the website presents itself. Its name is its host if it has none."""
    from app.bootstrap.adapters import open_site_discovery

    async with open_site_discovery(settings) as discovery:
        its = await discovery.identity_of(address)
    return replace(its, name=its.name or urlsplit(address).hostname or address)


def allow_hint(address: str, allowed: Collection[tuple[str, int]]) -> str:
    """The option to add to the command for an address that is a private IP address or has an unusual port; "" for any
    other."""
    parts = urlsplit(address)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return ""
    host = parts.hostname or ""
    if host and not _number(host) and port not in ALLOWED_PORTS and parts.scheme in {"http", "https"}:
        return f"To read it all the same, write its IP address in place of the name, and add --allow IP:{port}"
    if not _number(host) or (host, port) in allowed:
        return ""
    if ip_address(host).is_global and port in ALLOWED_PORTS:
        return ""
    shown = f"[{host}]" if ":" in host else host
    return f"To read it all the same, add --allow {shown}:{port}"


def _place(netloc: str) -> str:
    return netloc.rpartition("@")[2]


def _as_number(place: str) -> str:
    return _LOOPBACK + place[len(_LOCALHOST) :]


def _number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
