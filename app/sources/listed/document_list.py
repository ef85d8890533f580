"""Port: what a source lists and says by itself, such as a help centre by its API."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from app.sources.listed.json_api import JsonApi
from app.sources.source import SourceConfig


@dataclass(frozen=True, slots=True)
class Article:
    """`url` is where its readers find it; `changed` differs whenever what it says does. `text` is HTML or Markdown
    below its title, None where the list does not bring it; `key` then names it to the API."""

    url: str
    title: str
    changed: str
    text: str | None = None
    key: str = ""
    language: str | None = None
    modified: date | None = None
    is_markdown: bool = False


class DocumentList(Protocol):
    """One vendor's API or one format. Both methods raise ApiFailed."""

    def articles(self, api: JsonApi, source: SourceConfig) -> AsyncIterator[Article]:
        """Every article that anybody may read, no drafts among them, page by page."""
        ...

    async def text(self, api: JsonApi, article: Article) -> str:
        """What it says."""
        ...


def day_of(moment: str) -> date | None:
    """Of a moment as ISO 8601 writes it."""
    try:
        return date.fromisoformat(moment[:10])
    except ValueError:
        return None
