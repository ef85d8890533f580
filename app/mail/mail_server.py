"""The settings of the mail server and of the sender."""

from dataclasses import dataclass, field
from email.headerregistry import Address, AddressHeader
from email.policy import SMTP
from ipaddress import ip_address
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

_PORTS: Final = {"smtps": 465, "smtp": 587}
_WRITTEN: Final = "write it as smtps://user:password@mail.example.com, or smtp://... for STARTTLS"


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """`is_tls` from the first byte on, else by STARTTLS unless it `is_plain`."""

    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    is_tls: bool = False
    is_plain: bool = False


def smtp_server(url: str) -> SmtpServer | None:
    """None for "". Raises ValueError, also for a password that would cross a network in plain text."""
    if not url:
        return None
    parts = urlsplit(url)
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/") or set(asked) - {"tls"}:
        raise ValueError(_WRITTEN)
    is_plain = parts.scheme == "smtp" and asked.get("tls") == "off"
    if asked and not is_plain:
        raise ValueError(f"{_WRITTEN}, and smtp://...?tls=off for a server on this machine")
    if is_plain and parts.password and not _is_loopback(parts.hostname):
        raise ValueError("without TLS the password would cross the network for all to read; leave ?tls=off out")
    return SmtpServer(
        host=parts.hostname,
        port=parts.port or _PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        is_tls=parts.scheme == "smtps",
        is_plain=is_plain,
    )


def sender_of(written: str) -> Address:
    """ "Docent <docent@example.com>" or the address alone. Raises ValueError."""
    header = SMTP.header_factory("From", written) if written.isprintable() else None
    addresses = header.addresses if isinstance(header, AddressHeader) else ()
    if len(addresses) != 1 or header is None or header.defects or not addresses[0].domain or not addresses[0].username:
        raise ValueError("write one address, such as Docent <docent@example.com>")
    return addresses[0]


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
