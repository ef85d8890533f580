"""A mail, its MIME message, and the settings of the server and the sender."""

import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.headerregistry import Address, AddressHeader
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape
from ipaddress import ip_address
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit
from uuid import UUID

from app.core.errors import InvalidInput
from app.core.text.untrusted_text import one_line
from app.kit.markdown_text import markdown_text

_PORTS: Final = {"smtps": 465, "smtp": 587}
_WRITTEN: Final = "write it as smtps://user:password@mail.example.com, or smtp://... for STARTTLS"


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """`is_tls`: TLS from the first byte on. Otherwise STARTTLS, unless `is_plain`."""

    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    is_tls: bool = False
    is_plain: bool = False


def smtp_server(url: str) -> SmtpServer | None:
    """Parse DOCENT_SMTP_URL; None for "". Raises ValueError, also for a password that would be sent without TLS."""
    if not url:
        return None
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/") or set(query) - {"tls"}:
        raise ValueError(_WRITTEN)
    is_plain = parts.scheme == "smtp" and query.get("tls") == "off"
    if query and not is_plain:
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
    """Parse "Docent <docent@example.com>", or the address alone. Raises ValueError."""
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


MAX_ADDRESS_CHARS: Final = 254
# RFC 5321's Dot-string without "?", which could begin an encoded word, and an ASCII domain.
_LOCAL_PART: Final = re.compile(r"(?=.{1,64}\Z)[\w!#$%&'*+/=^`{|}~-]++(?:\.[\w!#$%&'*+/=^`{|}~-]++)*+", re.ASCII)
_DOMAIN: Final = re.compile(r"[\w-]++(?:\.[\w-]++)*+", re.ASCII)
# Text and ground are left to the reader's light or dark scheme; greys are half transparent, to suit either.
_STYLE: Final = "font:16px/1.5 system-ui,sans-serif;max-width:36em;overflow-wrap:break-word"
_BUTTON: Final = (
    "display:inline-block;padding:.5em 1em;border-radius:6px;background:#1f4fd8;color:#ffffff;text-decoration:none"
)
_SMALL: Final = "font-size:13px;opacity:.75;margin-top:2em;padding-top:1em;border-top:1px solid #8886"
_HEAD: Final = """<head><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<style>body { margin: 16px } table { border-collapse: collapse } .amount { text-align: end }
blockquote { margin-inline: 0; padding-inline-start: 12px; border-inline-start: 3px solid #8886 }
.code-language { margin-bottom: 0; font-size: 13px; opacity: .75 } .code-language + pre { margin-top: 4px }
th, td { padding: 6px 16px 6px 0; border-bottom: 1px solid #8886; text-align: start } code { font: 14px/1.45 monospace }
pre { padding: 12px; border-radius: 6px; background: #8882; white-space: pre-wrap }</style></head>"""
_URL: Final = re.compile(r"https?://(?:(?!&(?:[lg]t|quot|#x27);)\S)+(?<![.,;:!?)])")  # in escaped text


@dataclass(frozen=True, slots=True)
class MailLink:
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Mail:
    """All texts are plain text, which callers must not escape, except `markdown`, which comes first. `link` is the
    action for the reader, `footer` says why they get the mail, and `settings_url` is where they can opt out. The
    default `sender` is the installation's address. `in_reply_to`, `references` and `auto` are the values of the headers
    In-Reply-To, References and Auto-Submitted (RFC 3834); `auto` is "" for a mail by a person. `pictures` are attached:
    WebP in base64."""

    to: str
    subject: str
    paragraphs: Sequence[str]
    link: MailLink | None = None
    footer: str = ""
    settings_url: str = ""
    reply_to: str = ""
    sender: str = ""
    sender_name: str = ""
    in_reply_to: str = ""
    references: str = ""
    auto: str = "auto-generated"
    markdown: str = ""
    pictures: Sequence[str] = ()

    @property
    def text(self) -> str:
        parts = [markdown_text(self.markdown)] if self.markdown else []
        parts += self.paragraphs
        if self.link:
            parts.append(f"{self.link.label}:\n{self.link.url}")
        if about := "\n".join(part for part in (self.footer, self.settings_url) if part):
            parts.append(f"-- \n{about}")
        return "\n\n".join(parts) + "\n"

    @property
    def html(self) -> str:
        """The text as HTML that loads no external resources."""
        from app.kit.markdown_html import markdown_html

        parts: list[str] = [markdown_html(self.markdown)] if self.markdown else []
        parts += map(_paragraph, self.paragraphs)
        if self.link:
            parts.append(f'<p><a style="{_BUTTON}" href="{escape(self.link.url)}">{escape(self.link.label)}</a></p>')
        if self.footer or self.settings_url:
            choose = f' <a href="{escape(self.settings_url)}">Choose what you get</a>' if self.settings_url else ""
            parts.append(f'<p style="{_SMALL}">{_lines(self.footer)}{choose}</p>')
        body = "\n".join(parts)
        return f'<!doctype html>\n<html>{_HEAD}<body><div dir="auto" style="{_STYLE}">\n{body}\n</div></body></html>\n'


def checked_mail_address(field: str, address: str) -> str:
    """The address without surrounding blanks. Raises InvalidInput for `field` if no mail can be sent to it."""
    address = address.strip()
    try:
        local_part, _, domain = _as_dns_has_it(address[: MAX_ADDRESS_CHARS + 1]).partition("@")
    except UnicodeError:
        local_part = domain = ""
    if len(address) > MAX_ADDRESS_CHARS or not (_LOCAL_PART.fullmatch(local_part) and _DOMAIN.fullmatch(domain)):
        raise InvalidInput(field, "Write an e-mail address, such as ann@example.com.")
    return address


def _as_dns_has_it(address: str) -> str:
    """The address with its domain in ASCII (IDNA). Raises UnicodeError for an invalid domain."""
    local_part, _, domain = address.partition("@")
    return f"{local_part}@{domain.encode('idna').decode()}"


def message_of(mail: Mail, mail_id: UUID, sender: Address, written_at: datetime) -> EmailMessage:
    """The MIME message. It is the same at each attempt, so that mailboxes recognise duplicates by the Message-ID.
    Raises InvalidInput for an address to which no mail can be sent."""
    message = EmailMessage(policy=SMTP)
    message["From"] = _written(mail.sender, mail.sender_name) if mail.sender else sender
    message["To"] = _written(mail.to)
    message["Subject"] = one_line(mail.subject)
    message["Date"] = format_datetime(written_at)
    message["Message-ID"] = f"<{mail_id}@{sender.domain}>"
    optional = {
        "Auto-Submitted": mail.auto,
        "In-Reply-To": mail.in_reply_to,
        "References": mail.references,
        "Reply-To": _written(mail.reply_to) if mail.reply_to else "",
        "List-Unsubscribe": f"<{mail.settings_url}>" if mail.settings_url else "",
    }
    for name, value in optional.items():
        if value:
            message[name] = value
    message.set_content(mail.text, cte="quoted-printable")
    message.add_alternative(mail.html, subtype="html", cte="quoted-printable")
    for number, picture in enumerate(mail.pictures, start=1):
        message.add_attachment(b64decode(picture), "image", "webp", filename=picture_name(number))
    return message


def picture_name(number: int) -> str:
    """The file name of one of a mail's pictures, counted from 1."""
    return f"picture-{number}.webp"


def _written(address: str, name: str = "") -> Address:
    local_part, _, domain = _as_dns_has_it(checked_mail_address("email", address)).partition("@")
    return Address(one_line(name), local_part, domain)


def _paragraph(text: str) -> str:
    """A first line behind "> " is a quotation."""
    if not text.startswith("> "):
        return f'<p dir="auto">{_lines(text)}</p>'
    quoted, _, rest = text.removeprefix("> ").partition("\n")
    return f'<blockquote dir="auto">{_lines(quoted)}</blockquote>' + (_paragraph(rest) if rest else "")


def _lines(text: str) -> str:
    return _URL.sub(r'<a href="\g<0>">\g<0></a>', escape(text)).replace("\n", "<br>\n")
