"""Confluence Cloud by its REST API v2: https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/."""

import re
from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import quote, unquote

from app.sources.listed.confluence_storage import html_of_storage
from app.sources.listed.document_list import ApiAccess, Article, DocumentList, ListedKind, day_of
from app.sources.listed.json_api import ApiFailed, Json, JsonApi, ListedSource, object_of, objects_of, text_of
from app.sources.source import AccessKind
from crawler.extract.page import Outcome

_SPACE: Final = re.compile(r"/spaces/([^/?#]+)")
_API: Final = "/wiki/api/v2"
_PAGES: Final = "pages?status=current&limit=250"


class Confluence(DocumentList):
    """The space of the source's address ("/wiki/spaces/HELP"), else all that the account may read."""

    def __init__(self, source: ListedSource) -> None:
        self._api = JsonApi(source)

    async def articles(self) -> AsyncIterator[Article]:
        """Drafts, archived pages and those in the trash are left out."""
        path: str = await self._first_path()
        seen: set[str] = set()
        while path and path not in seen:
            seen.add(path)
            told = await self._api.get(path)
            links = object_of(told, "_links")
            site = text_of(links, "base") or f"{self._api.start.origin}/wiki"
            for each in objects_of(told, "results"):
                if text_of(each, "status") == "current":
                    yield _article(each, site)
            path = text_of(links, "next")

    async def _first_path(self) -> str:
        named = _SPACE.search(self._api.start.path)
        if named is None:
            return f"{_API}/{_PAGES}"
        key = unquote(named[1])
        spaces = objects_of(await self._api.get(f"{_API}/spaces?keys={quote(key, safe='')}"), "results")
        if not spaces:
            raise ApiFailed(Outcome.NOT_FOUND, f"there is no space {key} that this account may read")
        return f"{_API}/spaces/{text_of(spaces[0], 'id')}/{_PAGES}"

    async def text(self, article: Article) -> str:
        told = await self._api.get(f"{_API}/pages/{article.key}?body-format=storage")
        try:
            return html_of_storage(text_of(object_of(object_of(told, "body"), "storage"), "value"))
        except ValueError as error:
            raise ApiFailed(Outcome.UNREADABLE_FILE, "its body is not in the storage format") from error


def _article(told: Json, site: str) -> Article:
    version = object_of(told, "version")
    return Article(
        url=site + text_of(object_of(told, "_links"), "webui"),
        title=text_of(told, "title"),
        changed=text_of(version, "number"),
        key=text_of(told, "id"),
        modified=day_of(text_of(version, "createdAt")),
    )


CONFLUENCE: Final = ListedKind(
    "confluence",
    "Confluence",
    Confluence,
    address="https://example.atlassian.net/wiki/spaces/HELP",
    access=ApiAccess(AccessKind.BASIC, "", "The name is an account's address, the password is its API token."),
)
