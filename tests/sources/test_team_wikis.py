"""Notion and Confluence read by their APIs, from doubles that answer as the vendors describe them."""

from typing import Any

import pytest

from app.core.errors import InvalidInput
from app.sources import kinds
from app.sources.kinds.confluence import html_of_storage
from app.sources.listed.listed_reader import ListedReader
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import AccessKind, SourceAccess, SourceConfig
from tests.doubles.fake_network import FakeClock
from tests.doubles.loopback_site import LoopbackSite
from tests.doubles.team_wikis import ConfluenceDouble, NotionDouble
from tests.every_row import every_row
from tests.sources.test_help_centres import read, reader, statuses

__all__ = ["reader"]

NOTION_ACCESS = SourceAccess(AccessKind.HEADER, "Authorization", "Bearer ntn_1")
CONFLUENCE_ACCESS = SourceAccess(AccessKind.BASIC, "ann@example.com", "token")
DATABASE = "842a0286-cef0-46a8-abba-eac4c8ca644e"


BLOCKS = """\
# About 1

## Delivery

- By post
  1. Tracked
  - [ ] Signed for
- By hand

**How long does it take?**

Two days.

Closed on Sundays.

> Nobody was faster.
>
> A customer

```python
a = 1 < 2
b = 3
```

| Country | Price |
| --- | --- |
| Ireland | 4 EUR |

Left column.

Our van

[https://post.example.com/rates](https://post.example.com/rates)

See [the rates](https://post.example.com/rates) for `XL`

Said on two pages."""


def notion_page(key: str, **more: Any) -> dict[str, Any]:
    title = {"id": "title", "type": "title", "title": [{"type": "text", "plain_text": f"About {key}"}]}
    return {
        "object": "page",
        "id": key,
        "last_edited_time": "2026-05-01T10:00:00.000Z",
        "in_trash": False,
        "url": f"https://www.notion.so/{key}",
        "public_url": None,
        "properties": {"Name": title},
        **more,
    }


def span(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "plain_text": text, "href": None, "annotations": {}, **more}


def block(kind: str, text: str = "", *below: dict[str, Any], **told: Any) -> dict[str, Any]:
    key = f"{kind}-{text or id(told)}".replace(" ", "-")
    its = {"rich_text": [span(text)], **told} if text else told
    return {"object": "block", "id": key, "type": kind, kind: its, "has_children": bool(below), "below": below}


def markdown(page: ReadPage) -> str:
    assert page.content is not None, page.reason
    return page.content.markdown


@pytest.fixture
def notion(site: LoopbackSite) -> NotionDouble:
    double = NotionDouble(site, [notion_page(key) for key in ("1", "2", "3")])
    double.serve()
    for key in ("1", "2", "3"):
        double.serve_blocks(key, block("paragraph", f"Returns of kind {key} are free for thirty days."))
    return double


def of_notion(double: NotionDouble, path: str = "") -> SourceConfig:
    return SourceConfig(kinds.NOTION, "Wiki", f"{double.site.origin}{path}")


async def test_notions_pages_are_those_that_its_search_finds(reader: ListedReader, notion: NotionDouble) -> None:
    notion.pages[1] = notion_page("2", in_trash=True)
    notion.pages[2] = notion_page("3", public_url="https://shop.notion.site/3")

    pages, summary = await read(reader, of_notion(notion), access=NOTION_ACCESS)

    assert {url: page.status for url, page in pages.items()} == {
        "https://www.notion.so/1": "fetched",
        "https://shop.notion.site/3": "fetched",
    }
    assert summary.is_complete
    content = pages["https://www.notion.so/1"].content
    assert content is not None
    assert (content.title, str(content.modified)) == ("About 1", "2026-05-01")
    assert content.markdown == "# About 1\n\nReturns of kind 1 are free for thirty days."
    assert {headers["notion-version"] for _, headers in notion.site.asked} == {"2025-09-03"}


async def test_notion_sends_only_the_blocks_of_pages_that_were_edited(
    reader: ListedReader,
    notion: NotionDouble,
) -> None:
    first, _ = await read(reader, of_notion(notion), access=NOTION_ACCESS)
    known = [QueuedPage(url, 0, etag=page.etag) for url, page in first.items()]
    notion.pages[:] = [notion_page("1"), notion_page("2", last_edited_time="2026-06-01T10:00:00.000Z")]
    notion.site.asked.clear()

    second, _ = await read(reader, of_notion(notion), *known, access=NOTION_ACCESS)

    assert statuses(second) == {"1": "unchanged", "2": "fetched", "3": "gone"}
    assert [path for path in notion.site.paths if "/blocks/" in path] == ["/v1/blocks/2/children?page_size=100"]


async def test_a_database_is_read_alone_and_a_rows_columns_of_text_are_sections(
    reader: ListedReader,
    notion: NotionDouble,
) -> None:
    answer = {"type": "rich_text", "rich_text": [span("Ten euros, "), span("always")]}
    state = {"type": "select", "select": {"name": "Draft"}}
    row = notion_page("1", properties={**notion_page("1")["properties"], "Answer": answer, "State": state})
    notion.serve_database(DATABASE, faq=[row], more=[notion_page("2"), notion_page("3"), {"object": "data_source"}])

    pages, _ = await read(reader, of_notion(notion, f"/v1/databases/{DATABASE}"), access=NOTION_ACCESS)

    assert statuses(pages) == dict.fromkeys("123", "fetched")
    assert "/v1/search" not in notion.site.paths
    text = markdown(pages["https://www.notion.so/1"])
    assert text.startswith("# About 1\n\n## Answer\n\nTen euros, always\n\nReturns of kind 1")
    assert "Draft" not in text


async def test_notions_blocks_are_read_with_what_is_within_them(reader: ListedReader, notion: NotionDouble) -> None:
    original = block("synced_block", "", block("paragraph", "Said on two pages."), synced_from=None)
    notion.serve_blocks("elsewhere", original)
    copy = {**original, "id": "copy", "below": (), "synced_block": {"synced_from": {"block_id": original["id"]}}}
    cells = [[[span("Country")], [span("Price")]], [[span("Ireland")], [span("4 EUR")]]]
    notion.serve_blocks(
        "1",
        block("heading_1", "Delivery"),
        block("bulleted_list_item", "By post", block("numbered_list_item", "Tracked"), block("to_do", "Signed for")),
        block("bulleted_list_item", "By hand"),
        block("toggle", "How long does it take?", block("paragraph", "Two days.")),
        block("callout", "Closed on Sundays.", icon={"type": "emoji", "emoji": "x"}),
        block("quote", "Nobody was faster.", block("paragraph", "A customer")),
        block("code", "a = 1 < 2\nb = 3", language="python"),
        block("table", "", *(block("table_row", cells=row) for row in cells), has_column_header=True),
        block("column_list", "", block("column", "", block("paragraph", "Left column."))),
        block("child_page", title="Another page"),
        block("image", caption=[span("Our van")], type="file", file={"url": "https://files.example.com/van.png"}),
        block("bookmark", caption=[], url="https://post.example.com/rates"),
        block(
            "paragraph",
            rich_text=[
                span("See "),
                span("the rates", href="https://post.example.com/rates"),
                span(" for "),
                span("XL", annotations={"code": True}),
            ],
        ),
        copy,
    )
    pages, _ = await read(reader, of_notion(notion), access=NOTION_ACCESS)
    assert markdown(pages["https://www.notion.so/1"]) == BLOCKS


async def test_notions_rate_limit_is_obeyed(reader: ListedReader, notion: NotionDouble, clock: FakeClock) -> None:
    notion.busy = 1
    before = clock()
    pages, _ = await read(reader, of_notion(notion), access=NOTION_ACCESS)
    assert statuses(pages) == dict.fromkeys("123", "fetched")
    assert clock() - before >= 7


async def test_a_page_of_endless_blocks_fails_alone(reader: ListedReader, notion: NotionDouble) -> None:
    notion.serve_blocks("1", *(block("toggle", f"{n}", block("paragraph", f"No {n}.")) for n in range(500)))
    pages, _ = await read(reader, of_notion(notion), access=NOTION_ACCESS)
    assert statuses(pages) == {"1": "too_large", "2": "fetched", "3": "fetched"}


async def test_without_its_secret_notion_says_so(reader: ListedReader, notion: NotionDouble) -> None:
    with pytest.raises(InvalidInput, match="asks for a login"):
        await read(reader, of_notion(notion))


def confluence_page(key: str, version: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "id": key,
        "status": "current",
        "title": f"About {key}",
        "spaceId": "65",
        "version": {"number": version, "createdAt": "2026-05-01T10:00:00.000Z"},
        "_links": {"webui": f"/spaces/HELP/pages/{key}"},
        **more,
    }


@pytest.fixture
def confluence(site: LoopbackSite) -> ConfluenceDouble:
    keys = ("1", "2", "3")
    bodies = {key: f"<p>Returns of kind {key} are free&nbsp;for thirty days.</p>" for key in keys}
    double = ConfluenceDouble(site, [confluence_page(key) for key in keys], bodies)
    double.serve()
    return double


def of_confluence(double: ConfluenceDouble, path: str = "/wiki/spaces/HELP") -> SourceConfig:
    return SourceConfig(kinds.CONFLUENCE, "Wiki", f"{double.site.origin}{path}")


@pytest.mark.parametrize(
    ("path", "listed"), [("/wiki/spaces/HELP", "/spaces/65/pages"), ("/wiki", "/pages")], ids=["a space", "all"]
)
async def test_confluences_pages_are_read_by_cursor(
    reader: ListedReader,
    confluence: ConfluenceDouble,
    path: str,
    listed: str,
) -> None:
    confluence.pages[1] = confluence_page("2", status="archived")

    pages, summary = await read(reader, of_confluence(confluence, path), access=CONFLUENCE_ACCESS)

    assert statuses(pages) == {"1": "fetched", "3": "fetched"}
    assert summary.is_complete
    assert f"/wiki/api/v2{listed}?status=current&limit=250&cursor=2" in confluence.site.paths
    page = pages[f"{confluence.site.origin}/wiki/spaces/HELP/pages/1"]
    assert markdown(page) == "# About 1\n\nReturns of kind 1 are free for thirty days."
    assert page.content is not None
    assert str(page.content.modified) == "2026-05-01"


async def test_confluence_sends_only_the_bodies_that_changed(
    reader: ListedReader,
    confluence: ConfluenceDouble,
) -> None:
    first, _ = await read(reader, of_confluence(confluence), access=CONFLUENCE_ACCESS)
    known = [QueuedPage(url, 0, etag=page.etag) for url, page in first.items()]
    confluence.pages[:] = [confluence_page("1"), confluence_page("2", version=2)]
    confluence.site.asked.clear()

    second, _ = await read(reader, of_confluence(confluence), *known, access=CONFLUENCE_ACCESS)

    assert statuses(second) == {"1": "unchanged", "2": "fetched", "3": "gone"}
    assert [path for path in confluence.site.paths if "body-format" in path] == [
        "/wiki/api/v2/pages/2?body-format=storage"
    ]


async def test_a_space_that_the_account_may_not_read_is_named(
    reader: ListedReader,
    confluence: ConfluenceDouble,
) -> None:
    with pytest.raises(InvalidInput, match="no space NONE"):
        await read(reader, of_confluence(confluence, "/wiki/spaces/NONE"), access=CONFLUENCE_ACCESS)


async def test_a_body_that_is_no_storage_format_fails_alone(
    reader: ListedReader,
    confluence: ConfluenceDouble,
) -> None:
    confluence.bodies["1"] = "<p>Never closed"
    confluence.serve()
    pages, _ = await read(reader, of_confluence(confluence), access=CONFLUENCE_ACCESS)
    assert statuses(pages) == {"1": "unreadable_file", "2": "fetched", "3": "fetched"}


def macro(name: str, body: str, **parameters: str) -> str:
    told = "".join(f'<ac:parameter ac:name="{key}">{value}</ac:parameter>' for key, value in parameters.items())
    return f'<ac:structured-macro ac:name="{name}" ac:schema-version="1">{told}{body}</ac:structured-macro>'


def rich(text: str) -> str:
    return f"<ac:rich-text-body><p>{text}</p></ac:rich-text-body>"


@every_row(
    ("storage", "html"),
    [
        (macro("info", rich("Open from 9."), title="Hours"), "<p><strong>Hours</strong></p><p>Open from 9.</p>"),
        (macro("note", rich("Bring your card.")), "<p>Bring your card.</p>"),
        (macro("expand", rich("By post."), title="How?"), "<details><summary>How?</summary><p>By post.</p></details>"),
        (
            macro("code", "<ac:plain-text-body><![CDATA[if a < b && c: &nbsp;]]></ac:plain-text-body>", language="py"),
            '<pre><code class="language-py">if a &lt; b &amp;&amp; c: &amp;nbsp;</code></pre>',
        ),
        (f"<p>It is {macro('status', '', title='Live', colour='Green')}.</p>", "<p>It is Live.</p>"),
        (macro("toc", "", maxLevel="2") + macro("jira", "", key="A-1"), ""),
        (macro("excerpt", rich("Not shown."), hidden="true"), ""),
        (
            '<p><ac:link><ri:page ri:content-title="Prices &amp; terms" /></ac:link></p>',
            "<p>Prices &amp; terms</p>",
        ),
        (
            '<ac:link><ri:page ri:content-title="X" /><ac:plain-text-link-body><![CDATA[our <b>]]>'
            "</ac:plain-text-link-body></ac:link>",
            "our &lt;b&gt;",
        ),
        (
            "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status>"
            "<ac:task-body>Pack</ac:task-body></ac:task></ac:task-list>",
            "<ul><li>[x] Pack</li></ul>",
        ),
        (
            '<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell><p>Left</p></ac:layout-cell>'
            "</ac:layout-section></ac:layout>",
            "<p>Left</p>",
        ),
        (
            '<table data-layout="wide"><tbody><tr><th colspan="2">Caf&eacute;<br /></th></tr></tbody></table>',
            '<table><tbody><tr><th colspan="2">Café<br></th></tr></tbody></table>',
        ),
        (
            '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute>'
            "<ac:adf-content><p>Once.</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>Once.</p>"
            "</ac:adf-fallback></ac:adf-extension>",
            "<p>Once.</p>",
        ),
        ('<p>By <time datetime="2026-07-01" />, <ac:emoticon ac:name="smile" />&rsquo;</p>', "<p>By 2026-07-01, ’</p>"),
    ],
)
def test_the_storage_format_is_read_as_confluence_shows_it(storage: str, html: str) -> None:
    assert html_of_storage(storage) == html


@every_row("body", ["<p>", '<!DOCTYPE p [<!ENTITY a "b">]><p>&a;</p>', "<p>&nothing;</p>", "<b>" * 5000])
def test_what_is_not_the_storage_format_is_refused(body: str) -> None:
    with pytest.raises(ValueError, match="well-formed"):
        html_of_storage(body)
