"""Confluence Cloud by its REST API v2: https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/."""

import re
from collections.abc import AsyncIterator
from html import escape
from html.entities import name2codepoint
from typing import Final
from urllib.parse import quote, unquote
from xml.etree.ElementTree import Element, ParseError, fromstring

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

# Confluence's storage format as HTML. https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
_AC, _RI = "{ac}", "{ri}"
# XML defines five names of characters, but the format uses all of HTML's.
_START: Final = (
    "<!DOCTYPE body ["
    + "".join(f'<!ENTITY {name} "&#38;#{point};">' for name, point in name2codepoint.items())
    + ']><body xmlns:ac="ac" xmlns:ri="ri">'
)
_UNSEEN: Final = {
    f"{_AC}{name}"
    for name in ("parameter", "placeholder", "emoticon", "task-id", "task-uuid", "task-status", "adf-attribute")
} | {f"{_AC}adf-fallback"}  # repeats its neighbour
_VOID: Final = {"br", "hr", "col"}
_KEPT: Final = ("href", "colspan", "rowspan", "start")


def html_of_storage(body: str) -> str:
    """Convert a body to HTML. Raises ValueError if it is not well-formed."""
    try:
        return _below(fromstring(f"{_START}{body}</body>"))  # noqa: S314 - the document type is ours, and has no more
    except (ParseError, RecursionError) as error:
        raise ValueError("the body is not well-formed") from error


def _below(node: Element) -> str:
    inner = "".join(_html_of(each) + escape(each.tail or "") for each in node)
    return escape(node.text or "") + inner


def _html_of(node: Element) -> str:
    tag = node.tag
    if tag in _UNSEEN:
        return ""
    if tag == f"{_AC}structured-macro":
        return _macro(node)
    if tag == f"{_AC}link":  # without words of its own, it shows the title of its page
        page = node.find(f"{_RI}page")
        return _below(node).strip() or escape(page.get(f"{_RI}content-title", "") if page is not None else "")
    if tag == f"{_AC}task-list":
        return f"<ul>{_below(node)}</ul>"
    if tag == f"{_AC}task":
        is_done = node.findtext(f"{_AC}task-status") == "complete"
        return f"<li>[{'x' if is_done else ' '}] {_below(node)}</li>"
    if tag.startswith("{"):
        return _below(node)
    if tag == "time":
        return escape(node.get("datetime", ""))
    attributes = "".join(f' {name}="{escape(value)}"' for name in _KEPT if (value := node.get(name)) is not None)
    return f"<{tag}{attributes}>" if tag in _VOID else f"<{tag}{attributes}>{_below(node)}</{tag}>"


def _macro(node: Element) -> str:
    """The HTML of a macro's own content; "" if it only refers to content elsewhere."""
    name = node.get(f"{_AC}name", "")
    values = {each.get(f"{_AC}name", ""): "".join(each.itertext()) for each in node.findall(f"{_AC}parameter")}
    title = escape(values.get("title", ""))
    if name == "status":
        return title
    if name == "excerpt" and values.get("hidden") == "true":
        return ""
    plain, rich = node.find(f"{_AC}plain-text-body"), node.find(f"{_AC}rich-text-body")
    if plain is not None:
        language = escape(values.get("language", ""))
        body = f'<pre><code class="language-{language}">{escape(plain.text or "")}</code></pre>'
    elif rich is not None:
        body = _below(rich)
    else:
        return ""
    if name == "expand":
        return f"<details><summary>{title}</summary>{body}</details>"
    return f"<p><strong>{title}</strong></p>{body}" if title else body


_SPACE: Final = re.compile(r"/spaces/([^/?#]+)")
_API: Final = "/wiki/api/v2"
_PAGES: Final = "pages?status=current&limit=250"


class Confluence(DocumentList):
    """The pages of the space in the source's address ("/wiki/spaces/HELP"), else all that the account may read."""

    def __init__(self, source: ListedSource) -> None:
        self._api = JsonApi(source)

    async def articles(self) -> AsyncIterator[Article]:
        """Drafts, archived pages and those in the trash are left out."""
        path: str = await self._first_path()
        seen: set[str] = set()
        while path and path not in seen:
            seen.add(path)
            page = await self._api.get(path)
            links = object_of(page, "_links")
            site = text_of(links, "base") or f"{self._api.start.origin}/wiki"
            for each in objects_of(page, "results"):
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
            raise NotRead(Outcome.NOT_FOUND, f"there is no space {key} that this account may read")
        return f"{_API}/spaces/{text_of(spaces[0], 'id')}/{_PAGES}"

    async def text(self, article: Article) -> str:
        page = await self._api.get(f"{_API}/pages/{article.key}?body-format=storage")
        try:
            return html_of_storage(text_of(object_of(object_of(page, "body"), "storage"), "value"))
        except ValueError as error:
            raise NotRead(Outcome.UNREADABLE_FILE, "its body is not in the storage format") from error


def _article(page: Json, site: str) -> Article:
    version = object_of(page, "version")
    return Article(
        url=site + text_of(object_of(page, "_links"), "webui"),
        title=text_of(page, "title"),
        changed=text_of(version, "number"),
        key=text_of(page, "id"),
        modified=day_of(text_of(version, "createdAt")),
    )


CONFLUENCE: Final = ListedKind(
    "confluence",
    "Confluence",
    Confluence,
    address="https://example.atlassian.net/wiki/spaces/HELP",
    access=ApiAccess(AccessKind.BASIC, "", "The name is an account's address, the password is its API token."),
)
