"""Intercom by its Articles API: https://developers.intercom.com/docs/references/rest-api/api.intercom.io/articles."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from typing import Final

from app.sources.listed.document_list import (
    ApiAccess,
    Article,
    DocumentList,
    Json,
    JsonApi,
    ListedKind,
    ListedSource,
    object_of,
    objects_of,
    text_of,
)
from app.sources.source import AccessKind

_HEADERS: Final = {"Intercom-Version": "2.11"}
_PAGE: Final = "/articles?per_page=50&page="


class Intercom(DocumentList):
    """The source's address is the API's: https://api.intercom.io, or that of the region."""

    def __init__(self, source: ListedSource) -> None:
        self._api = JsonApi(source, _HEADERS)

    async def articles(self) -> AsyncIterator[Article]:
        """Articles outside of a help centre have no `url` and are left out, like drafts."""
        number = pages = 1
        while number <= pages:
            page = await self._api.get(f"{_PAGE}{number}")
            for each in objects_of(page, "data"):
                if text_of(each, "state") == "published" and text_of(each, "url"):
                    yield _article(each)
            total = object_of(page, "pages").get("total_pages")
            pages = total if isinstance(total, int) else 0
            number += 1


def _article(article: Json) -> Article:
    updated = article.get("updated_at")
    return Article(
        url=text_of(article, "url"),
        title=text_of(article, "title"),
        changed=text_of(article, "updated_at"),
        text=text_of(article, "body"),
        language=text_of(article, "default_locale").partition("-")[0].lower() or None,
        modified=_day(updated) if isinstance(updated, int) else None,
    )


def _day(seconds: int) -> date | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None


INTERCOM: Final = ListedKind(
    "intercom",
    "Intercom",
    Intercom,
    address="https://api.intercom.io",
    access=ApiAccess(AccessKind.HEADER, "Authorization", "Bearer, a space and the access token."),
)
