"""Port: what a help centre lists and says, by its own API."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from app.sources.help_centres.json_api import JsonApi


@dataclass(frozen=True, slots=True)
class Article:
    """`url` is where its readers find it; `changed` differs whenever what it says does. `html` is its text, None where
    the list does not bring it; `key` then names it to the API."""

    url: str
    title: str
    changed: str
    html: str | None = None
    key: str = ""
    language: str | None = None
    modified: date | None = None


class HelpCentre(Protocol):
    """One vendor's API. Both methods raise ApiFailed."""

    def articles(self, api: JsonApi) -> AsyncIterator[Article]:
        """Every article that anybody may read, no drafts among them, page by page."""
        ...

    async def html(self, api: JsonApi, article: Article) -> str:
        """What it says."""
        ...


def day_of(moment: str) -> date | None:
    """Of a moment as ISO 8601 writes it."""
    try:
        return date.fromisoformat(moment[:10])
    except ValueError:
        return None
