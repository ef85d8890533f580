"""Port: what a source lists and says by itself, such as a help centre by its API."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Article:
    """`url` is where its readers find it, `path` what the source's globs match where that is not the address's own;
    `changed` differs whenever what it says does. `text` is HTML or Markdown below its title, None where the list does
    not bring it; `key` then names it to the API. Markdown without a `title` is a whole file, which may say its own."""

    url: str
    title: str
    changed: str
    text: str | None = None
    key: str = ""
    path: str = ""
    language: str | None = None
    modified: date | None = None
    is_markdown: bool = False


class DocumentList(Protocol):
    """A source's list by one vendor's API or in one format, opened for one reading. `articles` and `text` raise
    ApiFailed."""

    def articles(self) -> AsyncIterator[Article]:
        """Every article that anybody may read, no drafts among them, page by page."""
        ...

    async def fetch_ahead(self, articles: Sequence[Article]) -> None:
        """Their texts are asked for next: a list that can bring several at once does so. Raises nothing."""
        return

    async def text(self, article: Article) -> str:
        """What it says."""
        return article.text or ""


def day_of(moment: str) -> date | None:
    """Of a moment as ISO 8601 writes it."""
    try:
        return date.fromisoformat(moment[:10])
    except ValueError:
        return None
