"""Few bytes that would keep a library busy for minutes are refused before it opens the file."""

import io
import time
import zipfile
from collections.abc import Callable

import pytest

from app.core.source_file import FileRefused
from app.sources.files.conversion import convert_file
from app.sources.files.office_parts import MAX_PARAGRAPHS, MAX_RANGE_CELLS
from tests.doubles.sample_files import a_docx, a_pptx, an_xlsx, repacked

RUN = "<w:r><w:t>x</w:t></w:r>"
SHEET, SLIDE = "xl/worksheets/sheet1.xml", "ppt/slides/slide1.xml"


def part(body: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        return file.read(name).decode()


def workbook(behind: str) -> bytes:
    body = an_xlsx({"Prices": [("Plan", "Price"), ("Basic", 5)]})
    return repacked(body, {SHEET: part(body, SHEET).replace("</sheetData>", f"</sheetData>{behind}")})


def merged(*ranges: str) -> bytes:
    return workbook(f"<mergeCells>{''.join(f'<mergeCell ref={each!r}/>' for each in ranges)}</mergeCells>")


def linked(area: str) -> bytes:
    return workbook(f'<hyperlinks><hyperlink ref="{area}" location="x"/></hyperlinks>')


def slides(paragraphs: int) -> bytes:
    body = a_pptx([("Plans", ["Basic"])])
    one = "<a:p><a:r><a:t>x</a:t></a:r></a:p>"
    before, end, behind = part(body, SLIDE).rpartition("</a:p>")
    return repacked(body, {SLIDE: before + end + one * paragraphs + behind})


@pytest.mark.parametrize(
    ("name", "made", "reason"),
    [
        ("a.xlsx", lambda: merged("A1:XFD1048576"), "merges or links more than 200000 cells"),
        ("a.xlsx", lambda: merged("A:XFD"), "merges or links"),
        ("a.xlsx", lambda: merged("&#65;1:$XFD$1048576"), "merges or links"),
        ("a.xlsx", lambda: merged(*["C1:G10000"] * 5), "merges or links"),
        ("a.xlsx", lambda: linked("A1:XFD1048576"), "merges or links"),
        ("a.docx", lambda: a_docx(f"<w:p>{RUN}</w:p>" * 300_000), "more than 40000 paragraphs"),
        ("a.docx", lambda: a_docx(f"<w:p>{RUN * 400_000}</w:p>"), "too much formatting"),
        ("a.pptx", lambda: slides(300_000), "more than 40000 paragraphs"),
    ],
    ids=["merged", "columns", "by entities", "many ranges", "a link", "paragraphs", "runs", "slides"],
)
def test_a_flood_is_refused_at_once(name: str, made: Callable[[], bytes], reason: str) -> None:
    body = made()
    before = time.process_time()
    with pytest.raises(FileRefused, match=reason):
        convert_file(name, body)
    assert time.process_time() - before < 5


def test_what_people_merge_and_link_is_read() -> None:
    assert convert_file("a.xlsx", merged("A1:B1", "A4:XFD4")).markdown
    assert convert_file("a.xlsx", linked("A1:B2")).markdown
    assert MAX_RANGE_CELLS >= 16_384 * 10  # whole rows


def test_a_book_is_read() -> None:
    assert convert_file("a.pptx", slides(1000)).markdown.count("x") == 1000
    assert MAX_PARAGRAPHS >= 1000 * 40  # pages
