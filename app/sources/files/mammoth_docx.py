"""DOCX by mammoth: styles become HTML, which our own writer converts to Markdown."""

import io
from typing import Final
from xml.etree import ElementTree

import mammoth
from selectolax.lexbor import LexborHTMLParser

from app.sources.files.office_parts import BROKEN, own_title, xml_parts, zipped
from app.sources.files.refusal import FileRefused
from crawler.extract.invisible_text import without_invisible
from crawler.extract.markdown.heading_anchors import HeadingAnchors
from crawler.extract.markdown.writer import write_markdown
from crawler.extract.page import Page

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF: Final = frozenset({"0", "false", "off"})


def read_docx(name: str, body: bytes) -> Page:
    """Raises FileRefused. Pictures, deleted text and hidden text are left out."""
    try:
        parts = _without_hidden_runs(xml_parts(body))
        title = own_title(parts)
        html = _html(parts)
    except BROKEN as error:
        raise FileRefused("is a damaged DOCX file. Save it again with a word processor.") from error
    tree = LexborHTMLParser(f"<html><body>{html}</body></html>")
    if tree.body is None:
        return Page(url=name, canonical_url=name, title=title, markdown="")
    rendered = write_markdown(tree.body, HeadingAnchors(tree))
    first = next((heading.text for heading in rendered.headings if heading.level == 1), "")
    markdown = without_invisible(rendered.markdown)
    return Page(url=name, canonical_url=name, title=title or first, markdown=markdown, headings=rendered.headings)


def _html(parts: dict[str, bytes]) -> str:
    without_pictures = mammoth.images.img_element(lambda _: {})
    converted = mammoth.convert_to_html(
        io.BytesIO(zipped(parts)), convert_image=without_pictures, include_embedded_style_map=False
    )
    return str(converted.value)


def _without_hidden_runs(parts: dict[str, bytes]) -> dict[str, bytes]:
    for name in parts:
        if name.startswith("word/") and b"vanish" in parts[name]:
            parts[name] = _without_hidden(parts[name])
    return parts


def _without_hidden(part: bytes) -> bytes:
    root = ElementTree.fromstring(part)  # noqa: S314 - no document type, so no entities
    for parent in root.iter():
        for run in parent.findall(f"{_W}r"):
            vanish = run.find(f"{_W}rPr/{_W}vanish")
            if vanish is not None and vanish.get(f"{_W}val", "1") not in _OFF:
                parent.remove(run)
    return bytes(ElementTree.tostring(root, "utf-8"))
