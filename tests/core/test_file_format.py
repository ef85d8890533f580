"""What a file is: its bytes decide before its name."""

import pytest

from app.core.errors import InvalidInput
from app.core.source_file import FileFormat, extension_of, file_format
from tests.every_row import every_row

DOCX = b"PK\x03\x04....[Content_Types].xml....word/document.xml...."


@every_row(
    ("name", "body", "expected"),
    [
        ("guide.md", b"# Guide", FileFormat.MARKDOWN),
        ("GUIDE.MARKDOWN", b"# Guide", FileFormat.MARKDOWN),
        ("page.htm", b"Hello", FileFormat.HTML),
        ("prices.csv", b"a,b\n1,2\n", FileFormat.CSV),
        ("prices.tsv", b"a\tb\n1\t2\n", FileFormat.CSV),
        ("notes.txt", b"Hello", FileFormat.TEXT),
        ("README", b"Hello", FileFormat.TEXT),
        ("server.log", b"Hello", FileFormat.TEXT),
        ("manual.pdf", b"%PDF-1.7\n", FileFormat.PDF),
        ("manual.txt", b"\n\n%PDF-1.4\n", FileFormat.PDF),
        ("letter.docx", DOCX, FileFormat.DOCX),
        ("letter.txt", DOCX, FileFormat.DOCX),
        ("prices.xlsx", b"PK\x03\x04...xl/workbook.xml", FileFormat.XLSX),
        ("talk.bin", b"PK\x03\x04...ppt/presentation.xml...xl/workbook.xml", FileFormat.PPTX),
        ("saved", b"\xef\xbb\xbf  <!DOCTYPE html><p>Hi", FileFormat.HTML),
        ("notes.txt", "Hello".encode("utf-16"), FileFormat.TEXT),
    ],
)
def test_bytes_decide_then_the_name(name: str, body: bytes, expected: FileFormat) -> None:
    assert file_format(name, body) is expected


@every_row(
    ("name", "body", "words"),
    [
        ("a.txt", b"", "empty"),
        ("a.txt", b" \n\t", "empty"),
        ("a.pdf", b"Hello", "name of a PDF file but is not one"),
        ("a.docx", b"Hello", "name of a DOCX file but is not one"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...", "password"),
        ("a.xlsx", b"Hello", "name of a XLSX file but is not one"),
        ("a.zip", b"PK\x03\x04...photo.jpg", "Unpack it"),
        ("a.png", b"\x89PNG\r\n", "a picture"),
        ("a.bin", b"\x7fELF\x00\x00", "not text"),
    ],
)
def test_what_is_none_of_ours_is_refused_with_the_way_out(name: str, body: bytes, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        file_format(name, body)
    assert refused.value.field == "file"


@every_row(("name", "extension"), [("a.PDF", "pdf"), ("a.b.c", "c"), ("README", ""), (".env", "")])
def test_the_extension_of_a_name(name: str, extension: str) -> None:
    assert extension_of(name) == extension
