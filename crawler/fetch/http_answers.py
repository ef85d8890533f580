"""Interprets HTTP statuses and headers for a crawl, and recognises the answers of bot walls."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from crawler.extract.page import Outcome, Validators

REDIRECTS = frozenset({301, 302, 303, 307, 308})
RETRIED = frozenset({429, 500, 502, 503, 504})

_FILE_STARTS = (
    b"%PDF-",
    b"%!PS",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x7fELF",
    b"OggS",
    b"\x1f\x8b",
)
_TEXT_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_NOT_IN_TEXT = bytes([*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)])
_MIN_TEXT_SHARE = 0.98  # a stray control character is a mistake, not a sign of a binary file

_CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9._:+-]+)""", re.I)
_NAMED = {
    401: (Outcome.LOGIN_WALL, "the page asks for a login"),
    403: (Outcome.LOGIN_WALL, "the server refuses access to the page"),
    404: (Outcome.NOT_FOUND, "the page does not exist"),
    410: (Outcome.GONE, "the page was permanently removed"),
    429: (Outcome.RATE_LIMITED, "the server asks for fewer requests"),
}


def status_outcome(status: int) -> tuple[Outcome, str]:
    """(outcome, reason) of a final status other than 200 and 304."""
    if status in _NAMED:
        outcome, reason = _NAMED[status]
        return outcome, f"{reason} (status {status})"
    return Outcome.HTTP_ERROR, f"the server answered with status {status}"


def media_type_and_charset(content_type: str) -> tuple[str, str | None]:
    """("text/html", "utf-8") from a Content-Type header; ("", None) from none."""
    charset = _CHARSET.search(content_type)
    return content_type.partition(";")[0].strip().lower(), charset[1].lower() if charset else None


def looks_like_html(body: bytes) -> bool:
    """Whether a body without Content-Type is HTML."""
    start = body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<!--", b"<title"))


def looks_like_a_file(body: bytes, charset: str | None) -> bool:
    """Whether a body of any Content-Type is a binary file, by its first bytes or by "binary data bytes" (WHATWG MIME
    sniffing standard)."""
    if body.startswith(_FILE_STARTS):
        return True
    start = body[:1445]
    if start.startswith(_TEXT_MARKS) or (charset or "").startswith(("utf-16", "utf-32", "ucs-2")):
        return False
    return len(start.translate(None, _NOT_IN_TEXT)) < _MIN_TEXT_SHARE * len(start)


def validators_of(headers: Mapping[str, str]) -> Validators:
    """ETag and Last-Modified, without values that cannot be sent back."""
    return Validators(_sendable(headers.get("etag")), _sendable(headers.get("last-modified")))


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Retry-After in seconds, 0 or more, from either form; None when missing or unreadable."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _sendable(value: str | None) -> str | None:
    return value if value and value.isascii() and value.isprintable() and len(value) <= 512 else None


# A bot wall is a service that answers in place of the website, with a puzzle for browsers or a refusal. Each service is
# recognised by a header that it only sends with such answers, or by a mark in their HTML. The scripts with which these
# services watch ordinary pages are not used as marks.
# The statuses of bot walls; answers with other statuses are the website's own.
WALLED_STATUSES: Final = frozenset({202, 401, 403, 405, 406, 429, 503})
READ_BYTES: Final = 64 * 1024
_HEADERS: Final = (
    ("Cloudflare", "cf-mitigated", re.compile(r"challenge|block", re.IGNORECASE)),
    ("AWS WAF", "x-amzn-waf-action", re.compile(r"challenge|captcha", re.IGNORECASE)),
    ("DataDome", "x-dd-b", re.compile(r"\d+")),
    ("Vercel", "x-vercel-mitigated", re.compile(r"challenge|deny", re.IGNORECASE)),
)
_REFUSED_BY: Final = (("Akamai", "server", re.compile(r"AkamaiGHost", re.IGNORECASE)),)
_MARKS: Final = (
    ("Cloudflare", re.compile(rb"_cf_chl_opt|id=[\"']?cf-error-details|Attention Required! \| Cloudflare")),
    ("Akamai", re.compile(rb"errors\.edgesuite\.net|[?&]bm-verify=|sec-if-cpt-container")),
    ("DataDome", re.compile(rb"//(?:geo\.|ct\.)?captcha-delivery\.com")),
    ("AWS WAF", re.compile(rb"\bgokuProps\b")),
    ("Imperva", re.compile(rb"Incapsula incident ID")),
    ("HUMAN", re.compile(rb"id=[\"']?px-captcha")),
    ("Sucuri", re.compile(rb"Access Denied - Sucuri Website Firewall|sucuri_cloudproxy_js")),
    ("Anubis", re.compile(rb"/\.within\.website/x/cmd/anubis")),
)


def bot_wall(status: int, headers: Mapping[str, str], body: bytes = b"") -> str:
    """The service whose bot wall answered, "" if none. `headers` have lower-case names. For a 200, pass `body` only if
    it has hardly any text, because an ordinary page may be about bot walls."""
    proofs = _HEADERS if status == 200 else (*_HEADERS, *_REFUSED_BY)
    found = (service for service, name, value in proofs if value.search(headers.get(name, "")))
    by_mark = (service for service, mark in _MARKS if mark.search(body[:READ_BYTES]))
    return next(found, "") or next(by_mark, "")


def wall_reason(service: str) -> str:
    return f"a bot wall ({service}) answers in place of the website"
