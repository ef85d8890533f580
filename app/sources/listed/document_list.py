"""Port: a source that lists its documents itself, such as a help centre with an API."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from app.sources.listed.json_api import ListedSource
from app.sources.source import AccessKind, SourceKind


@dataclass(frozen=True, slots=True)
class Article:
    """`url` is where its readers find it, `path` is what the source's globs match if that is not the path of `url`;
    `changed` differs whenever its content does. `text` is HTML or Markdown below its title, None if the list does not
    include it; `key` then identifies it for the API. Markdown without a `title` is a whole file, which may contain its
    own."""

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
    """The list of one source, opened for one reading. `articles` and `text` raise NotRead."""

    def articles(self) -> AsyncIterator[Article]:
        """Every public article, without drafts, page by page."""
        ...

    async def fetch_ahead(self, articles: Sequence[Article]) -> None:
        """Announce which texts are needed next, for lists that can fetch several at once. Raises nothing."""
        return

    async def text(self, article: Article) -> str:
        """The article's content."""
        return article.text or ""


@dataclass(frozen=True, slots=True)
class ApiAccess:
    """How an API is accessed: what the console's form for credentials is filled with at first, and its hint."""

    kind: AccessKind = AccessKind.BASIC
    name: str = ""
    hint: str = ""


class ListedKind(SourceKind):
    """Base of kinds whose sources list their documents: there are no links to follow, and a document that is no longer
    listed is gone. `address` is an example."""

    keeps_pages = True

    def __init__(
        self,
        value: str,
        label: str,
        opened: Callable[[ListedSource], DocumentList],
        *fields: str,
        address: str = "",
        access: ApiAccess | None = None,
    ) -> None:
        super().__init__(value, label, "include", "exclude", "max_pages", *fields)
        self.opened = opened
        self.address = address
        self.api_access = access or ApiAccess()


def day_of(moment: str) -> date | None:
    """The date of a moment in ISO 8601."""
    try:
        return date.fromisoformat(moment[:10])
    except ValueError:
        return None
