"""A page of the demonstration site beside what is read of it, for docs/how-to/sources.md: `make reference` writes
it, a test compares it.

Usage: python -m tests.docs.read_pages
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.core.text.markdown.blocks import BlockKind, blocks, list_items, table_rows
from crawler.extract.extraction import extract_page

_ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENT: Final = _ROOT / "docs" / "how-to" / "sources.md"
_SITE: Final = "https://nimbrel.example"
_PAGE: Final = "shipping"
_BEGIN: Final = "<!-- Made from the demonstration site by `make reference`: a change here is overwritten. -->\n"
_END: Final = "<!-- The end of what is made. -->\n"
_MADE: Final = re.compile(f"{re.escape(_BEGIN)}.*?{re.escape(_END)}", re.DOTALL)
_FEW: Final = 2  # items of a list, rows of a table
_CHARS: Final = 90  # of a text
_SECTIONS: Final = 3
_ON_ONE_LINE: Final = frozenset({"a", "h1", "h2", "p", "li", "tr", "strong", "time"})


def renewed(document: str) -> str:
    """The document with the page as it is now."""
    return _MADE.sub(lambda _: f"{_BEGIN}\n{_side_by_side(_PAGE)}\n{_END}", document)


def _side_by_side(path: str) -> str:
    html = (_ROOT / "app" / "demo_site" / path / "index.html").read_text("utf-8").replace("{{base}}", _SITE)
    markdown = extract_page(html.encode(), f"{_SITE}/{path}/", "utf-8").markdown
    page = "\n".join(_outline(LexborHTMLParser(html)))
    return (
        f"`/{path}/`, shortened:\n\n<table>\n<tr><th>the page</th><th>what is read of it</th></tr>\n"
        '<tr><td valign="top">\n\n<!-- not run: a page of the demonstration site -->\n'
        f'```html\n{page}\n```\n\n</td><td valign="top">\n\n'
        f"<!-- not run: what is read of the page beside it -->\n```markdown\n{_short(markdown)}\n```\n\n"
        "</td></tr>\n</table>\n"
    )


def _outline(tree: LexborHTMLParser) -> Iterator[str]:
    assert tree.body is not None
    for node in tree.css("script,link,svg,img,.skip"):
        node.decompose()
    for heading in tree.css("main h2")[_SECTIONS - 1 :]:
        _drop_section(heading)
    for part in tree.css("ul,ol,tbody,footer nav"):
        few = 1 if part.tag == "nav" else _FEW
        for item in [child for child in part.iter() if child.is_element_node][few:]:
            item.decompose()
    for child in tree.body.iter():
        yield from _lines(child, "")


def _drop_section(heading: LexborNode) -> None:
    node = heading.next
    while node is not None and node.tag != "h2":
        following = node.next
        node.decompose()
        node = following
    heading.decompose()


def _lines(node: LexborNode, indent: str) -> Iterator[str]:
    if not node.is_element_node:
        return
    if node.tag in _ON_ONE_LINE:
        yield indent + _shortened(" ".join((node.html or "").split()))
        return
    names = "".join(
        f' {name}="{value}"' for name, value in node.attributes.items() if name in {"class", "id"} and value
    )
    yield f"{indent}<{node.tag}{names}>"
    for child in node.iter():
        yield from _lines(child, f"{indent}  ")
    yield f"{indent}</{node.tag}>"


def _shortened(html: str) -> str:
    """A text that is long ends after some words; its links stay whole."""
    opening, text, closing = html[: html.index(">") + 1], html[html.index(">") + 1 : html.rindex("<")], html.rindex("<")
    return f"{opening}{_cut(text)}{html[closing:]}"


def _short(markdown: str) -> str:
    parts: list[str] = []
    sections = 0
    for block in blocks(markdown):
        if block.kind is BlockKind.HEADING:
            sections += 1
        if sections > _SECTIONS:
            break
        match block.kind:
            case BlockKind.TABLE:
                header, rows = table_rows(block.text)
                parts.append("\n".join([header, *rows[:_FEW]]))
            case BlockKind.LIST:
                parts.append("\n".join(list_items(block.text)[:_FEW]))
            case BlockKind.HEADING:
                parts.append(block.text)
            case _:
                parts.append(_cut(block.text))
    return "\n\n".join(parts)


def _cut(text: str) -> str:
    if len(text) <= _CHARS or "](" in text or "<a " in text or "<" in text[:_CHARS]:
        return text
    return f"{text[:_CHARS].rsplit(' ', 1)[0]} …"


if __name__ == "__main__":
    DOCUMENT.write_text(renewed(DOCUMENT.read_text("utf-8")), "utf-8")
