"""Zendesk Guide by its Help Center API: https://developer.zendesk.com/api-reference/help_center/help-center-api/articles/."""

import re
from collections.abc import AsyncIterator
from typing import Final

from app.sources.listed.document_list import (
    ApiAccess,
    Article,
    DocumentList,
    Json,
    JsonApi,
    ListedKind,
    ListedSource,
    day_of,
    object_of,
    objects_of,
    text_of,
)

_LOCALE: Final = re.compile(r"/hc/([a-z]{2,3}(?:-[a-z0-9]{2,8})?)(?:/|$)", re.IGNORECASE)
_PAGE: Final = "articles.json?page%5Bsize%5D=100"


class Zendesk(DocumentList):
    """Lists the articles of the locale in the source's address ("/hc/en-us"), else of all locales."""

    def __init__(self, source: ListedSource) -> None:
        self._api = JsonApi(source)

    async def articles(self) -> AsyncIterator[Article]:
        """Articles for signed-in users or some of them (`user_segment_id`) are left out, like drafts."""
        locale = _LOCALE.search(self._api.start.path)
        path: str = f"/api/v2/help_center/{f'{locale[1].lower()}/' if locale else ''}{_PAGE}"
        seen: set[str] = set()
        while path and path not in seen:
            seen.add(path)
            page = await self._api.get(path)
            for each in objects_of(page, "articles"):
                if each.get("draft") is not True and each.get("user_segment_id") is None and text_of(each, "html_url"):
                    yield _article(each)
            path = text_of(object_of(page, "links"), "next") if object_of(page, "meta").get("has_more") is True else ""


def _article(article: Json) -> Article:
    updated = text_of(article, "updated_at")
    return Article(
        url=text_of(article, "html_url"),
        title=text_of(article, "title"),
        changed=updated,
        text=text_of(article, "body"),
        language=text_of(article, "locale").partition("-")[0].lower() or None,
        modified=day_of(updated),
    )


ZENDESK: Final = ListedKind(
    "zendesk",
    "Zendesk",
    Zendesk,
    address="https://example.zendesk.com/hc/en-us",
    access=ApiAccess(hint="If the help centre is not public: ann@example.com/token as the name, and an API token."),
)
