"""DOCX by mammoth: styles become HTML, which our own writer converts to Markdown. What mammoth does not read is written
into the document before: numbers of headings, charts and formulas."""

import io
import re
from posixpath import join, normpath
from typing import Any, Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import mammoth
from selectolax.lexbor import LexborHTMLParser

from app.sources.files.docx_formulas import FORMULAS, formula_text
from app.sources.files.docx_numbers import HeadingNumbers, W
from app.sources.files.office_charts import chart_texts
from app.sources.files.office_parts import BROKEN, description, own_title, xml_parts, zipped
from app.sources.files.refusal import FileRefused
from crawler.extract.invisible_text import without_invisible
from crawler.extract.markdown.heading_anchors import HeadingAnchors
from crawler.extract.markdown.writer import write_markdown
from crawler.extract.page import Page

_DOCUMENT: Final = "word/document.xml"
_RELATIONS: Final = "word/_rels/document.xml.rels"
_OFF: Final = frozenset({"0", "false", "off"})
_CHART: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_TARGET: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_CHART_SIGN: Final = "\ufdd4"  # a noncharacter: documents do not use it
_CHARTS: Final = re.compile(f"(^|\\S) ?{_CHART_SIGN}(\\d+){_CHART_SIGN}", re.MULTILINE)
_BOXES: Final = {'<input checked="checked" type="checkbox" />': "[x]", '<input type="checkbox" />': "[ ]"}


def read_docx(name: str, body: bytes) -> Page:
    """Raises FileRefused. Deleted text and hidden text are left out; of pictures, the description that somebody wrote
    is read."""
    try:
        parts = _without_hidden_runs(xml_parts(body))
        title = own_title(parts)
        charts = _written_out(parts)
        html = _html(parts)
    except BROKEN as error:
        raise FileRefused("is a damaged DOCX file. Save it again with a word processor.") from error
    tree = LexborHTMLParser(f"<html><body>{html}</body></html>")
    if tree.body is None:
        return Page(url=name, canonical_url=name, title=title, markdown="")
    rendered = write_markdown(tree.body, HeadingAnchors(tree))
    first = next((heading.text for heading in rendered.headings if heading.level == 1), "")
    text = _CHARTS.sub(lambda found: f"{found[1]}\n\n{charts[int(found[2])]}".lstrip("\n"), rendered.markdown)
    markdown = without_invisible(text)
    return Page(url=name, canonical_url=name, title=title or first, markdown=markdown, headings=rendered.headings)


def _html(parts: dict[str, bytes]) -> str:
    converted = mammoth.convert_to_html(
        io.BytesIO(zipped(parts)), convert_image=_described, include_embedded_style_map=False
    )
    html = str(converted.value)
    for box, told in _BOXES.items():
        html = html.replace(box, told)
    return html


def _described(image: Any) -> list[Any]:
    told = description(image.alt_text or "")
    return [mammoth.html.text(told)] if told else []


def _written_out(parts: dict[str, bytes]) -> list[str]:
    """Write the numbers, formulas and a sign for each chart into the document; the texts of the charts."""
    document = _parsed(parts, _DOCUMENT)
    if document is None:
        return []
    numbers = HeadingNumbers(_parsed(parts, "word/numbering.xml"), _parsed(parts, "word/styles.xml"))
    relations = _parsed(parts, _RELATIONS)
    targets = {each.get("Id"): each.get("Target", "") for each in relations} if relations is not None else {}
    charts: list[str] = []
    paragraph = document
    for element in list(document.iter()):
        if element.tag == f"{W}p":
            paragraph = element
            if number := numbers.number(paragraph):
                paragraph.insert(1, _run(f"{number} "))
        elif element.tag == _CHART:
            part = _parsed(parts, normpath(join("word", targets.get(element.get(_TARGET), ""))))
            if part is not None and (texts := chart_texts(part)):
                paragraph.append(_run(f"{_CHART_SIGN}{len(charts)}{_CHART_SIGN}"))
                charts.append("\n\n".join(texts))
        for place, inner in enumerate(element):
            if inner.tag in FORMULAS:
                element[place] = _run(formula_text(inner))
    parts[_DOCUMENT] = ElementTree.tostring(document, "utf-8")
    return charts


def _run(text: str) -> Element:
    run = Element(f"{W}r")
    ElementTree.SubElement(run, f"{W}t").text = text
    return run


def _parsed(parts: dict[str, bytes], name: str) -> Element | None:
    return ElementTree.fromstring(parts[name]) if name in parts else None  # noqa: S314 - no document type, no entities


def _without_hidden_runs(parts: dict[str, bytes]) -> dict[str, bytes]:
    for name in parts:
        if name.startswith("word/") and b"vanish" in parts[name]:
            parts[name] = _without_hidden(parts[name])
    return parts


def _without_hidden(part: bytes) -> bytes:
    root = ElementTree.fromstring(part)  # noqa: S314 - no document type, so no entities
    for parent in root.iter():
        for run in parent.findall(f"{W}r"):
            vanish = run.find(f"{W}rPr/{W}vanish")
            if vanish is not None and vanish.get(f"{W}val", "1") not in _OFF:
                parent.remove(run)
    return bytes(ElementTree.tostring(root, "utf-8"))
