"""Notion by its API: the pages that are shared with an integration. https://developers.notion.com/reference/intro"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from html import escape
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
from app.sources.source import AccessKind
from crawler.extract.page import Outcome
from crawler.fetch.fetch_result import NotRead

# Notion's blocks and rich text as HTML. https://developers.notion.com/reference/block
Children = Callable[[str], Awaitable[list[Json]]]

_MAX_DEPTH: Final = 10
_HEADINGS: Final = {"heading_1": "h2", "heading_2": "h3", "heading_3": "h4", "heading_4": "h5"}  # h1 is the title
_LISTS: Final = {"bulleted_list_item": "ul", "to_do": "ul", "numbered_list_item": "ol"}
_ELSEWHERE: Final = frozenset({"child_page", "child_database"})  # pages of their own
_MARKS: Final = {"code": "code", "bold": "strong", "italic": "em", "strikethrough": "s"}


async def html_of_children(children: Children, block_id: str, depth: int = 0) -> str:
    """The HTML of what is below a page or block, ten levels deep. `children` lists the blocks right below one."""
    parts, open_list = [], ""
    for block in await children(block_id):
        wanted = _LISTS.get(text_of(block, "type"), "")
        if wanted != open_list:
            parts += [f"</{open_list}>" if open_list else "", f"<{wanted}>" if wanted else ""]
            open_list = wanted
        parts.append(await _html_of(children, block, depth + 1))
    return "".join([*parts, f"</{open_list}>" if open_list else ""])


async def _html_of(children: Children, block: Json, depth: int) -> str:
    kind = text_of(block, "type")
    content = object_of(block, kind)
    if kind in _ELSEWHERE:
        return ""
    text = html_of_text(objects_of(content, "rich_text"))
    below = ""
    if block.get("has_children") is True and depth <= _MAX_DEPTH:
        # A copy of a synced block has the children of the original.
        original = text_of(object_of(content, "synced_from"), "block_id")
        below = await html_of_children(children, original or text_of(block, "id"), depth)
    if kind in _HEADINGS:
        return f"<{_HEADINGS[kind]}>{text}</{_HEADINGS[kind]}>{below}"
    match kind:
        case "bulleted_list_item" | "numbered_list_item":
            return f"<li>{text}{below}</li>"
        case "to_do":
            return f"<li>[{'x' if content.get('checked') is True else ' '}] {text}{below}</li>"
        case "toggle":
            return f"<details><summary>{text}</summary>{below}</details>"
        case "quote":
            return f"<blockquote><p>{text}</p>{below}</blockquote>"
        case "code":
            code = escape(plain_text(objects_of(content, "rich_text")))
            language = escape(text_of(content, "language"))
            return f'<pre><code class="language-{language}">{code}</code></pre>{_caption(content)}'
        case "equation":
            return f"<p><code>{escape(text_of(content, 'expression'))}</code></p>"
        case "table":
            first, end, others = below.partition("</tr>")
            if content.get("has_column_header") is True:
                first = first.replace("td>", "th>")  # only tags match: text is escaped
            return f"<table>{first}{end}{others}</table>"
        case "table_row":
            cells = content.get("cells")
            rows = [each for each in cells if isinstance(each, list)] if isinstance(cells, list) else []
            return f"<tr>{''.join(f'<td>{html_of_text(each)}</td>' for each in rows)}</tr>"
        case "bookmark" | "embed" | "link_preview":
            url = escape(text_of(content, "url"))
            return f'<p><a href="{url}">{html_of_text(objects_of(content, "caption")) or url}</a></p>'
        case _:
            return (f"<p>{text}</p>" if text else "") + below + _caption(content)


def _caption(content: Json) -> str:
    text = html_of_text(objects_of(content, "caption"))
    return f"<p>{text}</p>" if text else ""


def html_of_text(spans: Sequence[Json]) -> str:
    return "".join(map(_html_of_span, spans))


def _html_of_span(span: Json) -> str:
    html = escape(text_of(span, "plain_text")).replace("\n", "<br>")
    marks = object_of(span, "annotations")
    tags = [tag for name, tag in _MARKS.items() if marks.get(name) is True]
    if span.get("type") == "equation":
        tags = ["code"]
    for tag in tags:
        html = f"<{tag}>{html}</{tag}>"
    url = text_of(span, "href")
    return f'<a href="{escape(url)}">{html}</a>' if url else html


def plain_text(spans: Sequence[Json]) -> str:
    return "".join(text_of(each, "plain_text") for each in spans)


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
            found = await self._api.get(f"/v1/databases/{database[1]}")
            ids = [text_of(each, "id") for each in objects_of(found, "data_sources")]
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
                    raise NotRead(Outcome.TOO_LARGE, f"reading it takes more than {_MAX_CALLS} calls")
                place = f"&start_cursor={after}" if after else ""
                return await self._api.get(f"/v1/blocks/{block_id}/children?page_size={_PER_CALL}{place}")

            return [each async for each in _listed(results)]

        return (article.text or "") + await html_of_children(children, article.key)


async def _listed(results: Callable[[str], Awaitable[Json]]) -> AsyncIterator[Json]:
    """Request page after page; yield their results. `results` takes the cursor of a page, "" for the first."""
    cursor, seen = "", {""}
    while True:
        page = await results(cursor)
        for each in objects_of(page, "results"):
            yield each
        cursor = text_of(page, "next_cursor") if page.get("has_more") is True else ""
        if cursor in seen:
            return
        seen.add(cursor)


def _article(page: Json) -> Article:
    """A page as an article. A row of a database is a page as well, whose columns of text are its first sections."""
    properties = [(name, each) for name, each in object_of(page, "properties").items() if isinstance(each, dict)]
    titles = [plain_text(objects_of(each, "title")) for _, each in properties]
    columns = [(name, html_of_text(objects_of(each, "rich_text"))) for name, each in properties]
    edited = text_of(page, "last_edited_time")
    return Article(
        url=text_of(page, "public_url") or text_of(page, "url"),
        title="".join(titles) or "Untitled",
        changed=edited,
        text="".join(f"<h2>{escape(name)}</h2><p>{text}</p>" for name, text in columns if text),
        key=text_of(page, "id"),
        modified=day_of(edited),
    )


NOTION: Final = ListedKind(
    "notion",
    "Notion",
    Notion,
    address="https://api.notion.com",
    access=ApiAccess(AccessKind.HEADER, "Authorization", "Bearer, a space and the integration's secret."),
)
