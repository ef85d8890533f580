"""Notion by its API: the pages that are shared with an integration. https://developers.notion.com/reference/intro"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from html import escape
from typing import Final

from app.sources.listed.document_list import ApiAccess, Article, DocumentList, ListedKind, day_of
from app.sources.listed.json_api import ApiFailed, Json, JsonApi, ListedSource, object_of, objects_of, text_of
from app.sources.listed.notion_blocks import html_of_children, html_of_text, plain_text
from app.sources.source import AccessKind
from crawler.extract.page import Outcome

_HEADERS: Final = {"Notion-Version": "2025-09-03"}
_DATABASE: Final = re.compile(r"/databases/([0-9a-fA-F-]{32,36})")
_PER_CALL: Final = 100
# The latest changes last: a page that is edited meanwhile is listed twice, not left out.
_SORT: Final = {"timestamp": "last_edited_time", "direction": "ascending"}
_SEARCH: Final = {"filter": {"property": "object", "value": "page"}, "sort": _SORT}
_MAX_CALLS: Final = 500  # for one page


class Notion(DocumentList):
    """The source's address is the API's, or that of one database there ("/v1/databases/{id}")."""

    def __init__(self, source: ListedSource) -> None:
        self._api = JsonApi(source, _HEADERS)

    async def articles(self) -> AsyncIterator[Article]:
        """Pages in the trash are left out."""
        database = _DATABASE.search(self._api.start.path)
        if database is None:
            queries: list[tuple[str, Json]] = [("/v1/search", _SEARCH)]
        else:
            told = await self._api.get(f"/v1/databases/{database[1]}")
            ids = [text_of(each, "id") for each in objects_of(told, "data_sources")]
            queries = [(f"/v1/data_sources/{each}/query", {"sorts": [_SORT]}) for each in ids]
        for path, query in queries:

            async def results(after: str, path: str = path, query: Json = query) -> Json:
                place = {"start_cursor": after} if after else {}
                return await self._api.post(path, {**query, "page_size": _PER_CALL, **place})

            async for each in _listed(results):
                if each.get("object") == "page" and not (each.get("in_trash") or each.get("archived")):
                    yield _article(each)

    async def text(self, article: Article) -> str:
        calls = 0

        async def children(block_id: str) -> list[Json]:
            async def results(after: str) -> Json:
                nonlocal calls
                calls += 1
                if calls > _MAX_CALLS:
                    raise ApiFailed(Outcome.TOO_LARGE, f"reading it takes more than {_MAX_CALLS} calls")
                place = f"&start_cursor={after}" if after else ""
                return await self._api.get(f"/v1/blocks/{block_id}/children?page_size={_PER_CALL}{place}")

            return [each async for each in _listed(results)]

        return (article.text or "") + await html_of_children(children, article.key)


async def _listed(results: Callable[[str], Awaitable[Json]]) -> AsyncIterator[Json]:
    """The results after each cursor, "" being the first."""
    cursor, seen = "", {""}
    while True:
        told = await results(cursor)
        for each in objects_of(told, "results"):
            yield each
        cursor = text_of(told, "next_cursor") if told.get("has_more") is True else ""
        if cursor in seen:
            return
        seen.add(cursor)


def _article(told: Json) -> Article:
    """A row of a database is a page as well, whose columns of text are its first sections."""
    properties = [(name, each) for name, each in object_of(told, "properties").items() if isinstance(each, dict)]
    titles = [plain_text(objects_of(each, "title")) for _, each in properties]
    columns = [(name, html_of_text(objects_of(each, "rich_text"))) for name, each in properties]
    edited = text_of(told, "last_edited_time")
    return Article(
        url=text_of(told, "public_url") or text_of(told, "url"),
        title="".join(titles) or "Untitled",
        changed=edited,
        text="".join(f"<h2>{escape(name)}</h2><p>{text}</p>" for name, text in columns if text),
        key=text_of(told, "id"),
        modified=day_of(edited),
    )


NOTION: Final = ListedKind(
    "notion",
    "Notion",
    Notion,
    address="https://api.notion.com",
    access=ApiAccess(AccessKind.HEADER, "Authorization", "Bearer, a space and the integration's secret."),
)
