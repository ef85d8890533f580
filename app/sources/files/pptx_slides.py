"""PPTX by python-pptx: each slide under its title, in display order."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER

from app.core.source_file import FileRefused
from app.sources.files.office_parts import BROKEN, chart_texts, description, own_title, without_media, xml_parts
from app.sources.files.plain_text import as_prose
from app.sources.files.table_text import written_rows
from crawler.extract.invisible_text import visible_line
from crawler.extract.page import Heading, Page

MAX_SLIDES: Final = 1000
_MAX_DEPTH: Final = 20  # of groups in groups
_LEVEL: Final = 2
_TITLES: Final = frozenset({PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE})
_LISTS: Final = frozenset({PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY})
# the same on every slide
_FURNITURE: Final = frozenset({PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER})
_NO_TITLES: Final = ("powerpoint presentation", "presentation", "title", "untitled")


def read_pptx(name: str, body: bytes) -> Page:
    """Convert the presentation. Hidden slides and shapes are left out. Speaker notes follow their slide; of pictures,
    the description that somebody wrote is read. Raises FileRefused."""
    try:
        parts = xml_parts(body)
        title = own_title(parts)
        slides = Presentation(without_media(body, parts)).slides
        if len(slides) > MAX_SLIDES:
            raise FileRefused(f"has {len(slides)} slides, and the limit is {MAX_SLIDES}. Split it.")
        blocks: list[str] = []
        headings: list[Heading] = []
        for number, slide in enumerate(slides, start=1):
            if slide.element.get("show", "1") in ("0", "false"):  # the library has no attribute for it
                continue
            shown = list(_shown(slide.shapes))
            texts = [text for shape in shown if not _is(shape, _TITLES) for text in _texts(shape)]
            texts += _notes(slide)
            heading = next((visible_line(shape.text_frame.text) for shape in shown if _is(shape, _TITLES)), "")
            if heading or texts:
                headings.append(Heading(_LEVEL, heading or f"Slide {number}"))
                blocks += [f"## {headings[-1].text}", *texts]
    except BROKEN as error:
        raise FileRefused("is a damaged PPTX file. Save it again with a presentation program.") from error
    if title.lower() in _NO_TITLES:
        title = ""
    return Page(
        url=name,
        canonical_url=name,
        title=title or next((each.text for each in headings), ""),
        markdown="\n\n".join(blocks),
        headings=tuple(headings),
    )


def _shown(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    for shape in shapes:
        if shape.element.xpath("string(.//p:cNvPr/@hidden)") in ("1", "true") or _is(shape, _FURNITURE):
            continue
        if hasattr(shape, "shapes"):
            if depth < _MAX_DEPTH:
                yield from _shown(shape.shapes, depth + 1)
        else:
            yield shape


def _texts(shape: Any) -> Iterator[str]:
    if shape.has_chart:
        yield from chart_texts(shape.chart.element)
    elif shape.has_table:
        rows = _rows(shape.table)
        if len(rows) > 1:
            yield written_rows(rows[0], rows[1:])
        elif rows:
            yield " | ".join(cell for cell in rows[0] if cell)
    elif shape.has_text_frame:
        lines = [(each.level, visible_line(each.text)) for each in shape.text_frame.paragraphs]
        lines = [(level, line) for level, line in lines if line]
        if len(lines) > 1 and _is(shape, _LISTS):
            yield "\n".join(f"{'  ' * level}- {line}" for level, line in lines)
        else:
            yield from (as_prose(line) for _, line in lines)

    elif alternative := description(str(shape.element.xpath("string(.//p:cNvPr/@descr)"))):
        yield as_prose(alternative)


def _rows(table: Any) -> list[list[str]]:
    """The rows of a table. A merged cell's text is in each of the rows and columns that it spans."""
    rows = [[visible_line(cell.text) for cell in row.cells] for row in table.rows]
    for at, row in enumerate(table.rows):
        for place, cell in enumerate(row.cells):
            if cell.is_merge_origin:
                for below in rows[at : at + cell.span_height]:
                    below[place : place + cell.span_width] = [rows[at][place]] * cell.span_width
    return rows


def _notes(slide: Any) -> list[str]:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    lines = [visible_line(paragraph.text) for paragraph in frame.paragraphs] if frame is not None else []
    return [as_prose(line) for line in lines if line]


def _is(shape: Any, kinds: frozenset[Any]) -> bool:
    return shape.is_placeholder and shape.placeholder_format.type in kinds
