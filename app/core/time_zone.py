"""Time zones by their IANA names."""

import re
from typing import Final
from zoneinfo import ZoneInfo

from app.core.errors import InvalidInput

MAX_ZONE_CHARS: Final = 60
_ZONE: Final = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*", re.ASCII)


def zone_named(name: str, field: str = "zone") -> ZoneInfo:
    """Raises InvalidInput for that field."""
    try:
        if len(name) <= MAX_ZONE_CHARS and _ZONE.fullmatch(name):
            return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # no such file, no zone's file, a folder
        pass
    raise InvalidInput(field, "This is not a time zone. Enter UTC, or a name such as Europe/Berlin.")
