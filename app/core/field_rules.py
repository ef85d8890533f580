"""Checks that several rooms share. Each raises InvalidInput, which names the field and the fix."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo

from app.core.errors import InvalidInput

_LANGUAGE = re.compile(r"[a-z]{2,3}", re.ASCII)
MAX_URL_CHARS: Final = 2048
MAX_EMAIL_CHARS: Final = 254  # RFC 5321
MAX_LANGUAGE_CHARS: Final = 3
MAX_QUESTION_CHARS: Final = 4000


def check_text(field: str, text: str, max_chars: int, *, may_be_empty: bool = True) -> None:
    if not may_be_empty and not text.strip():
        raise InvalidInput(field, "This cannot be empty. Enter at least one character.")
    if len(text) > max_chars:
        raise InvalidInput(field, f"This has {len(text)} characters. Use at most {max_chars}.")
    if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\r\t" for c in text):
        raise InvalidInput(field, "This contains control characters or broken characters. Remove them.")


def check_line(field: str, text: str, max_chars: int, *, may_be_empty: bool = True) -> None:
    check_text(field, text, max_chars, may_be_empty=may_be_empty)
    if "\n" in text or "\r" in text:
        raise InvalidInput(field, "Keep this to one line.")


def check_between(field: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # also refuses NaN
        raise InvalidInput(field, f"Use a value from {low:g} to {high:g}.")


def check_chosen(field: str, ids: Collection[UUID], most: int, what: str) -> None:
    """Require 1 to `most` different ids. `what` names them in the message, in the plural. Raises InvalidInput."""
    if not 1 <= len(set(ids)) == len(ids) <= most:
        raise InvalidInput(field, f"Choose 1 to {most} {what}, each once.")


def check_language(field: str, language: str | None) -> None:
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise InvalidInput(field, 'Enter a language code of two or three lower-case letters, such as "en" or "de".')


def check_http_url(field: str, url: str) -> None:
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_fine = urlsplit(""), False
    if (
        not port_is_fine
        or parts.scheme not in ("http", "https")
        or not parts.hostname
        or any(c.isspace() or unicodedata.category(c) in ("Cc", "Cs") for c in url)
        or "\\" in url
    ):
        raise InvalidInput(field, 'Enter a full address, such as "https://www.example.com/docs".')
    if parts.username is not None or parts.password is not None:
        raise InvalidInput(field, "Remove the user name and password from the address.")
    if len(url) > MAX_URL_CHARS:
        raise InvalidInput(field, f"The address is too long. Use at most {MAX_URL_CHARS} characters.")


MAX_ZONE_CHARS: Final = 60
_ZONE: Final = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*", re.ASCII)


def zone_named(name: str, field: str = "zone") -> ZoneInfo:
    """The time zone with this IANA name. Raises InvalidInput for an unknown one."""
    try:
        if len(name) <= MAX_ZONE_CHARS and _ZONE.fullmatch(name):
            return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # ZoneInfo's errors for a missing file, another file, a folder
        pass
    raise InvalidInput(field, "This is not a time zone. Enter UTC, or a name such as Europe/Berlin.")
