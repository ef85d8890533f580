"""Notion's blocks and rich text as HTML. https://developers.notion.com/reference/block"""

from collections.abc import Awaitable, Callable, Sequence
from html import escape
from typing import Final

from app.sources.listed.json_api import Json, object_of, objects_of, text_of

Children = Callable[[str], Awaitable[list[Json]]]

_MAX_DEPTH: Final = 10
_HEADINGS: Final = {"heading_1": "h2", "heading_2": "h3", "heading_3": "h4", "heading_4": "h5"}  # h1 is the title
_LISTS: Final = {"bulleted_list_item": "ul", "to_do": "ul", "numbered_list_item": "ol"}
_ELSEWHERE: Final = frozenset({"child_page", "child_database"})  # pages of their own
_MARKS: Final = {"code": "code", "bold": "strong", "italic": "em", "strikethrough": "s"}


async def html_of_children(children: Children, block_id: str, depth: int = 0) -> str:
    """What is below a page or a block, deeper than ten levels left out. `children` lists the blocks right below
    one."""
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
    told = object_of(block, kind)
    if kind in _ELSEWHERE:
        return ""
    text = html_of_text(objects_of(told, "rich_text"))
    below = ""
    if block.get("has_children") is True and depth <= _MAX_DEPTH:
        # A copy of a synced block has the children of the original.
        original = text_of(object_of(told, "synced_from"), "block_id")
        below = await html_of_children(children, original or text_of(block, "id"), depth)
    if kind in _HEADINGS:
        return f"<{_HEADINGS[kind]}>{text}</{_HEADINGS[kind]}>{below}"
    match kind:
        case "bulleted_list_item" | "numbered_list_item":
            return f"<li>{text}{below}</li>"
        case "to_do":
            return f"<li>[{'x' if told.get('checked') is True else ' '}] {text}{below}</li>"
        case "toggle":
            return f"<details><summary>{text}</summary>{below}</details>"
        case "quote":
            return f"<blockquote><p>{text}</p>{below}</blockquote>"
        case "code":
            code = escape(plain_text(objects_of(told, "rich_text")))
            language = escape(text_of(told, "language"))
            return f'<pre><code class="language-{language}">{code}</code></pre>{_caption(told)}'
        case "equation":
            return f"<p><code>{escape(text_of(told, 'expression'))}</code></p>"
        case "table":
            first, end, others = below.partition("</tr>")
            if told.get("has_column_header") is True:
                first = first.replace("td>", "th>")  # in text, it is escaped
            return f"<table>{first}{end}{others}</table>"
        case "table_row":
            cells = told.get("cells")
            rows = [each for each in cells if isinstance(each, list)] if isinstance(cells, list) else []
            return f"<tr>{''.join(f'<td>{html_of_text(each)}</td>' for each in rows)}</tr>"
        case "bookmark" | "embed" | "link_preview":
            url = escape(text_of(told, "url"))
            return f'<p><a href="{url}">{html_of_text(objects_of(told, "caption")) or url}</a></p>'
        case _:
            return (f"<p>{text}</p>" if text else "") + below + _caption(told)


def _caption(told: Json) -> str:
    text = html_of_text(objects_of(told, "caption"))
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
