"""Reads DOCX by mammoth: styles become HTML, which our own writer converts to Markdown. What mammoth does not read is
first written into the document: numbers of headings, charts and formulas."""

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import join, normpath
from typing import Any, Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import mammoth
from selectolax.lexbor import LexborHTMLParser

from app.core.source_file import FileRefused
from app.sources.files.office_parts import BROKEN, chart_texts, description, own_title, xml_parts, zipped
from crawler.extract.invisible_text import without_invisible
from crawler.extract.markdown.headings import HeadingAnchors
from crawler.extract.markdown.writer import write_markdown
from crawler.extract.page import Page

_MATH: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FORMULAS: Final = frozenset({f"{_MATH}oMath", f"{_MATH}oMathPara"})
_MOST_LEVELS: Final = 50
_WITH_ENDS: Final = frozenset({"sSup", "sSub", "sSubSup", "nary", "limLow"})
_PLAIN: Final = 1  # a single character needs no brackets


def formula_text(node: Element, level: int = 0) -> str:
    """The text of a formula (OMML) or of a part of one, on one line: (a + b)/(2) and x^(2)."""
    kind = node.tag.removeprefix(_MATH)
    if kind == "t" or level > _MOST_LEVELS:
        return node.text or ""
    children = [(child.tag.removeprefix(_MATH), formula_text(child, level + 1)) for child in node]
    parts = dict(children)
    if kind == "f":
        return f"{_bracketed(parts.get('num', ''))}/{_bracketed(parts.get('den', ''))}"
    if kind == "rad":
        return f"√{_bracketed(parts.get('e', ''))}"
    if kind == "d":
        return f"{_sign(node, 'begChr', '(')}{parts.get('e', '')}{_sign(node, 'endChr', ')')}"
    if kind == "func":
        return f"{parts.get('fName', '')} {parts.get('e', '')}"
    if kind in _WITH_ENDS:
        below, above = parts.get("sub") or parts.get("lim", ""), parts.get("sup", "")
        ends = "".join(f"{sign}{_bracketed(text)}" for sign, text in (("_", below), ("^", above)) if text)
        inner = parts.get("e", "")
        return f"{_sign(node, 'chr', '∫')}{ends} {inner}" if kind == "nary" else f"{inner}{ends}"
    return "".join(text for _, text in children)


def _sign(node: Element, name: str, usual: str) -> str:
    found = node.find(f"./*/{_MATH}{name}")
    return usual if found is None else found.get(f"{_MATH}val", usual)


def _bracketed(text: str) -> str:
    return text if len(text) <= _PLAIN or text.isdecimal() else f"({text})"


W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VALUE: Final = f"{W}val"
_LEVELS: Final = 9
_MOST_ABOVE: Final = 20  # the longest chain of styles based on each other


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    kind: str  # such as "decimal"
    text: str  # such as "%1.%2."


class HeadingNumbers:
    """Computes the numbers of headings ("2.1 Costs"): the file has only rules by which word processors count.
    `numbering` and `styles` are the roots of these parts, None if the file lacks them."""

    def __init__(self, numbering: Element | None, styles: Element | None) -> None:
        self._lists = _lists(numbering) if numbering is not None else {}
        found = styles.iterfind(f"{W}style") if styles is not None else ()
        self._styles = {style.get(f"{W}styleId", ""): style for style in found}
        self._counts: defaultdict[int, list[int]] = defaultdict(lambda: [0] * _LEVELS)

    def number(self, paragraph: Element) -> str:
        """The displayed number; "" for a paragraph without one or no heading. Call it on all paragraphs in order."""
        rules = list(self._rules(paragraph))
        number = _first(rules, f"{W}numPr/{W}numId")
        levels = self._lists.get(number)
        if levels is None:
            return ""
        at = int(_first(rules, f"{W}numPr/{W}ilvl") or 0)
        if at not in levels:
            return ""
        counts = self._counts[id(levels)]  # lists of one kind share their counts
        for above in range(at):
            counts[above] = counts[above] or (levels[above].start if above in levels else 1)
        counts[at] = counts[at] + 1 if counts[at] else levels[at].start
        counts[at + 1 :] = [0] * (_LEVELS - at - 1)
        is_heading = (_first(rules, f"{W}outlineLvl") or "9") != "9"
        return _written(levels, at, counts) if is_heading else ""

    def _rules(self, paragraph: Element) -> Iterator[Element]:
        """The properties that apply to a paragraph: its own, then those of its style, and of those it is based on."""
        own = paragraph.find(f"{W}pPr")
        if own is None:
            return
        yield own
        style = own.find(f"{W}pStyle")
        for _ in range(_MOST_ABOVE):
            found = self._styles.get(style.get(_VALUE, "")) if style is not None else None
            if found is None:
                return
            if (rules := found.find(f"{W}pPr")) is not None:
                yield rules
            style = found.find(f"{W}basedOn")


def _lists(numbering: Element) -> dict[str, Mapping[int, _Level]]:
    """The levels of each numbered list, by its id."""
    kinds = {each.get(f"{W}abstractNumId", ""): _levels(each) for each in numbering.iterfind(f"{W}abstractNum")}
    return {
        each.get(f"{W}numId", ""): kinds.get(_value(each, f"{W}abstractNumId"), {})
        for each in numbering.iterfind(f"{W}num")
    }


def _levels(kind: Element) -> dict[int, _Level]:
    return {
        int(level.get(f"{W}ilvl", "0")): _Level(
            int(_value(level, f"{W}start") or 1), _value(level, f"{W}numFmt"), _value(level, f"{W}lvlText")
        )
        for level in kind.iterfind(f"{W}lvl")
    }


def _first(rules: list[Element], path: str) -> str:
    return next((value for each in rules if (value := _value(each, path))), "")


def _value(above: Element, path: str) -> str:
    found = above.find(path)
    return found.get(_VALUE, "") if found is not None else ""


def _written(levels: Mapping[int, _Level], at: int, counts: list[int]) -> str:
    """The number as text; "" for a kind that is not known, such as Roman numerals."""
    text = levels[at].text
    for place, level in sorted(levels.items())[: at + 1]:
        if f"%{place + 1}" in text:
            if level.kind not in _KINDS or (counts[place] > _MOST_LETTERS and level.kind != "decimal"):
                return ""
            text = text.replace(f"%{place + 1}", _KINDS[level.kind](counts[place]))
    return text.strip()


_MOST_LETTERS: Final = 26
_KINDS: Final[Mapping[str, Callable[[int], str]]] = {
    "decimal": str,
    "upperLetter": lambda number: chr(ord("A") + number - 1),
    "lowerLetter": lambda number: chr(ord("a") + number - 1),
}


_DOCUMENT: Final = "word/document.xml"
_RELATIONS: Final = "word/_rels/document.xml.rels"
_OFF: Final = frozenset({"0", "false", "off"})
_CHART: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_TARGET: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_CHART_SIGN: Final = "\ufdd4"  # a noncharacter: documents do not use it
_CHARTS: Final = re.compile(f"(^|\\S) ?{_CHART_SIGN}(\\d+){_CHART_SIGN}", re.MULTILINE)
_BOXES: Final = {'<input checked="checked" type="checkbox" />': "[x]", '<input type="checkbox" />': "[ ]"}


def read_docx(name: str, body: bytes) -> Page:
    """Convert the document. Deleted text and hidden text are left out; of pictures, the description that somebody wrote
    is read. Raises FileRefused."""
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
    for box, text in _BOXES.items():
        html = html.replace(box, text)
    return html


def _described(image: Any) -> list[Any]:
    alternative = description(image.alt_text or "")
    return [mammoth.html.text(alternative)] if alternative else []


def _written_out(parts: dict[str, bytes]) -> list[str]:
    """Write the numbers, formulas and a sign for each chart into the document; return the texts of the charts."""
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
