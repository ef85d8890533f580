"""PDF: pages become sections that a link can open, and what is not text is left out."""

import io

import pytest
from pypdf import PdfWriter

from app.core.source_file import FileRefused
from app.sources.files import pypdf_pages
from app.sources.files.pypdf_pages import read_pdf, written_as_prose
from crawler.extract.page import Heading
from tests.doubles.sample_files import a_pdf
from tests.every_row import every_row


def test_each_page_is_a_section_that_a_link_opens() -> None:
    page = read_pdf("manual.pdf", a_pdf([["Press the button."], ["Wait for the light."]], title="The manual"))
    assert page.markdown == "## Page 1\n\nPress the button.\n\n## Page 2\n\nWait for the light."
    assert page.headings == (Heading(2, "Page 1", "page=1"), Heading(2, "Page 2", "page=2"))
    assert page.title == "The manual"


def test_the_cells_of_a_row_stand_on_one_line() -> None:
    page = read_pdf(
        "prices.pdf", a_pdf([["Parcels", "Zone\tUp to 2 kg\tUp to 10 kg", "Inland\t4.90\t7.90", "In euro."]])
    )
    assert page.markdown == "## Page 1\n\nParcels\nZone Up to 2 kg Up to 10 kg\nInland 4.90 7.90\nIn euro."


def test_an_outline_gives_the_headings() -> None:
    body = a_pdf(
        [["Preface", "Welcome.", "1 Setting up", "Press it."], ["and wait.", "2 Cleaning", "Use water."]],
        outline=[("1 Setting up", 0), ("2  Cleaning", 1), ("Not in the text", 1)],
    )
    page = read_pdf("manual.pdf", body)
    assert page.markdown == (
        "Preface\nWelcome.\n\n## 1 Setting up\n\nPress it.\n\nand wait.\n\n## 2 Cleaning\n\n## Not in the text\n\n"
        "Use water."
    )
    assert [heading.anchor for heading in page.headings] == ["page=1", "page=2", "page=2"]


def test_running_heads_and_page_numbers_go() -> None:
    steps = ["Open the lid.", "Turn it 4 times.", "", "Close the lid.", "Wait."]
    pages = [["Acme One: manual", *filter(None, [step]), f"Page {n} of 5"] for n, step in enumerate(steps, start=1)]
    markdown = read_pdf("manual.pdf", a_pdf(pages)).markdown
    assert "Acme One" not in markdown
    assert "of 5" not in markdown
    assert "Turn it 4 times." in markdown
    assert "Page 3" not in markdown


def test_words_that_a_line_cuts_are_whole_again() -> None:
    page = read_pdf(
        "a.pdf", a_pdf([["The ther-", "mostat is set", "by hand.", "# 5 is the best.", "Setting up . . . . . . 7"]])
    )
    assert page.markdown == "## Page 1\n\nThe thermostat is set by hand.\n\\# 5 is the best."


@pytest.mark.parametrize("title", ["Microsoft Word - manual.doc", "untitled", ""])
def test_what_a_program_wrote_is_no_title(title: str) -> None:
    assert read_pdf("manual.pdf", a_pdf([["Hello."]], title=title)).title == ""


def test_a_file_that_anybody_may_open_is_read_although_it_is_encrypted() -> None:
    assert "Hello." in read_pdf("manual.pdf", a_pdf([["Hello."]], password="")).markdown


def test_a_password_is_named() -> None:
    with pytest.raises(FileRefused, match=r"protected by a password\. Save it"):
        read_pdf("manual.pdf", a_pdf([["Hello."]], password="secret"))


def test_a_scan_is_told_apart() -> None:
    scan = PdfWriter()
    scan.add_blank_page(600, 800)
    written = io.BytesIO()
    scan.write(written)
    with pytest.raises(FileRefused, match="text recognition"):
        read_pdf("scan.pdf", written.getvalue())


@pytest.mark.parametrize("body", [b"%PDF-1.7\nnonsense", a_pdf([["Hello."]])[:300]], ids=["nonsense", "cut"])
def test_a_broken_file_is_refused(body: bytes) -> None:
    with pytest.raises(FileRefused):
        read_pdf("manual.pdf", body)


def test_too_many_pages_are_refused_before_any_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pypdf_pages, "MAX_PAGES", 2)
    with pytest.raises(FileRefused, match="has 3 pages, and the limit is 2"):
        read_pdf("manual.pdf", a_pdf([["a"], ["b"], ["c"]]))


def test_pages_by_the_thousand_that_are_one_object_are_refused() -> None:
    """A tree of pages may name one page again and again: few bytes, many pages."""
    body = a_pdf([["Hello."]])
    assert len(body) < 4096
    many = " ".join(["4 0 R"] * 2000).encode()
    bomb = _bare_with_kids(many, 2000)
    with pytest.raises(FileRefused):
        read_pdf("bomb.pdf", bomb)


def _bare_with_kids(kids: bytes, count: int) -> bytes:
    return (
        b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
        b"2 0 obj\n<< /Type /Pages /Kids [" + kids + b"] /Count " + str(count).encode() + b" >>\nendobj\n"
        b"4 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
    )


def test_an_address_that_a_line_broke_keeps_its_hyphen() -> None:
    told = written_as_prose("Call us or see https://example.com/very-\nlong-path/index.html for the long-\nterm plan.")
    assert told == "Call us or see https://example.com/very-long-path/index.html for the longterm plan."


@every_row(
    ("broken", "told"),
    [
        ("https://example.com/help/\npath/to.html for more", "https://example.com/help/path/to.html for more"),
        ("https://example.com/find?\nq=tax now", "https://example.com/find?q=tax now"),
        ("https://example.com/docs/\nfor more", "https://example.com/docs/ for more"),
        ("https://example.com/docs/\nThen go on", "https://example.com/docs/\nThen go on"),
    ],
)
def test_an_address_goes_on_after_its_line_if_the_next_reads_like_it(broken: str, told: str) -> None:
    assert written_as_prose(broken) == told
