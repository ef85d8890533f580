"""Moments and days as RFC 3339 writes them. Numbers, which pydantic reads as seconds since 1970, are refused."""

import re
from datetime import date
from typing import Annotated, Any, Final

from pydantic import AwareDatetime, BeforeValidator, Strict

_WRITTEN: Final = re.compile(r"\d{4}-\d\d-\d\d(?!\d)", re.ASCII)


def _written(value: Any) -> Any:
    if isinstance(value, date) or (isinstance(value, str) and _WRITTEN.match(value)):
        return value
    raise ValueError('Write it as RFC 3339 does, such as "2026-01-31" or "2026-01-31T12:00:00Z".')


# What comes out of a validator of ours is no JSON any more, where a strict type takes texts.
Timestamp = Annotated[AwareDatetime, Strict(False), BeforeValidator(_written)]
Day = Annotated[date, Strict(False), BeforeValidator(_written)]
