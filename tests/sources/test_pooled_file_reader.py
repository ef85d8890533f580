"""The reader whole: a file goes to another process, and a page or a reason comes back."""

from collections.abc import AsyncIterator
from uuid import uuid4

import anyio
import pytest

from app.core.errors import InvalidInput
from app.knowledge.document import SectionHeading
from app.sources.files import file_reader
from app.sources.files.file_reader import FileReader, PooledFileReader
from crawler.errors import ExtractionFailed
from tests.crawler.extract.test_extraction_pool import answer_with_process_id
from tests.doubles.sample_files import a_docx, a_pdf, an_xlsx, paragraph

URL = "https://www.example.com/manual.pdf"
OWNER = uuid4()


@pytest.fixture(scope="module")
async def reader() -> AsyncIterator[PooledFileReader]:
    async with PooledFileReader() as opened:
        yield opened


async def test_a_file_becomes_a_page_of_its_address(reader: FileReader) -> None:
    page = await reader.read("user_manual-v2.pdf", a_pdf([["Press the button."]]), URL, OWNER)
    assert (page.url, page.title) == (URL, "user manual v2")
    assert page.markdown == "## Page 1\n\nPress the button."
    assert page.headings == (SectionHeading(2, "Page 1", "page=1"),)


async def test_its_own_title_goes_before_its_name(reader: FileReader) -> None:
    assert (await reader.read("x.docx", a_docx(paragraph("Hello."), title="Returns"), URL, OWNER)).title == "Returns"


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        (
            "a.pdf",
            a_pdf([["Hello."]], password="secret"),
            "The file is protected by a password. Save it without a password.",
        ),
        (
            "a.docx",
            b"PK\x03\x04 word/document",
            "The file is a damaged DOCX file. Save it again with a word processor.",
        ),
        ("a.png", b"\x89PNG..", '"a.png" is a picture. Write down what it says.'),
    ],
)
async def test_what_cannot_be_read_is_refused_in_words(
    reader: FileReader, name: str, body: bytes, message: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await reader.read(name, body, URL, OWNER)
    assert (refused.value.field, str(refused.value)) == ("file", f"file: {message}")


async def test_a_file_that_eats_memory_costs_its_process_alone(reader: FileReader) -> None:
    """Deep nesting in few bytes; the next file is read as ever."""
    deep = a_docx("<w:p>" * 200_000 + "</w:p>" * 200_000)
    with pytest.raises(InvalidInput, match="file: "):
        await reader.read("deep.docx", deep, URL, OWNER)
    assert (await reader.read("a.txt", b"Hello.", URL, OWNER)).markdown == "Hello."


async def test_a_file_that_takes_too_long_is_given_up() -> None:
    async with PooledFileReader(timeout_seconds=0.05) as impatient:
        with pytest.raises(InvalidInput, match=r"took longer than 0\.05 s"):
            await impatient.read("a.pdf", a_pdf([["Hello."] * 50] * 300), URL, OWNER)


async def test_slow_files_of_one_owner_keep_nobody_else_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reader, "serve_files", answer_with_process_id)
    async with PooledFileReader() as reader, anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(reader.read, "a.txt", b"hang", URL, OWNER)
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(120):
            assert (await reader.read("a.txt", b"Hello.", URL, uuid4())).markdown.endswith("Hello.")
            url = "https://www.example.com/a.pdf"
            assert (await reader.extract(b"Hello.", url, None)).markdown.endswith("Hello.")
        tasks.cancel_scope.cancel()


async def test_a_file_of_a_website_is_a_page_of_its_address(reader: PooledFileReader) -> None:
    url = "https://www.example.com/files/price%20list.xlsx?v=2"
    page = await reader.extract(an_xlsx({"Plans": [("Plan", "Price"), ("Basic", 5)]}), url, None)
    assert (page.url, page.canonical_url, page.title) == (url, url, "price list")
    assert page.markdown.endswith("| Basic | 5 |")


async def test_a_file_of_a_website_that_cannot_be_read_says_why(reader: PooledFileReader) -> None:
    with pytest.raises(ExtractionFailed, match=r"^The file is protected by a password"):
        await reader.extract(a_pdf([["Hello."]], password="secret"), "https://www.example.com/a.pdf", None)
