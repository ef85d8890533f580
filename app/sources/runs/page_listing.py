"""Port: which pages a source names by itself, without reading any of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from app.sources.source import SourceAccess, SourceConfig


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page in scope, spelt as a reading spells it, and when it was changed last, where the list says so."""

    url: str
    last_modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """`problems` are files that could not be read, each with its reason in words."""

    pages: Sequence[ListedPage] = ()
    problems: Sequence[str] = ()


class PageListing(Protocol):
    async def of(self, source: SourceConfig, access: SourceAccess | None = None) -> Listing:
        """What its sitemaps or feed list now, to those who send `access`; the page itself for a source of one page.

        Asks the website, in bounded time. Raises InvalidInput when the source's URL cannot be read at all.
        """
        ...
