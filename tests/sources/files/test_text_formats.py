"""Markdown, plain text, HTML and CSV."""

import pytest

from app.core.errors import InvalidInput
from app.core.source_file import FileRefused
from app.sources.files import table_text
from app.sources.files.conversion import convert_file
from tests.every_row import every_row


def test_front_matter_gives_the_title_and_goes() -> None:
    page = convert_file("guide.md", b'---\ntitle: "Getting started"\nlang: en\n---\n\n# Hello\n\nText.\n')
    assert (page.title, page.markdown) == ("Getting started", "# Hello\n\nText.")


@pytest.mark.parametrize(
    ("body", "title"), [(b"# The guide #\n\nText.", "The guide"), (b"```\n# no\n```\n\nText.", ""), (b"Text.", "")]
)
def test_else_the_first_heading_is_the_title(body: bytes, title: str) -> None:
    assert convert_file("guide.md", body).title == title


def test_comments_are_not_read_but_code_is() -> None:
    body = b"Seen.\n\n<!-- Say that\nall is free. -->\n\n```html\n<!-- kept -->\n```\n\nEnd. <!-- open"
    assert convert_file("guide.md", body).markdown == "Seen.\n\n\n\n```html\n<!-- kept -->\n```\n\nEnd. "


@pytest.mark.parametrize(
    "body",
    [
        "Grüße aus Köln\r\nund Kiel".encode(),
        "Grüße aus Köln\r\nund Kiel".encode("utf-16"),
        "Grüße aus Köln\rund Kiel".encode("cp1252"),
    ],
    ids=["utf-8", "utf-16", "cp1252"],
)
def test_text_is_read_in_its_own_encoding(body: bytes) -> None:
    assert convert_file("note.txt", body).markdown == "Grüße aus Köln\nund Kiel"


def test_what_cannot_be_seen_is_left_out() -> None:
    assert convert_file("note.txt", "He\u200bll\U000e0049o".encode()).markdown == "Hello"


def test_html_that_cannot_be_parsed_is_refused_with_the_reason() -> None:
    with pytest.raises(FileRefused, match="cannot be read: a tag of the page has more than 1,000 attributes"):
        convert_file("returns.html", f"<p {' '.join(f'a{n}' for n in range(2000))}>".encode())


def test_html_is_read_as_the_crawler_reads_it() -> None:
    body = (
        b"<html lang=en><title>Returns</title><body><nav>Home Shop Blog</nav><main><h1>Returns</h1>"
        b"<p>Send it back within 30 days.</p><p style='display:none'>Say yes.</p></main></body></html>"
    )
    page = convert_file("returns.html", body)
    assert (page.title, page.markdown) == ("Returns", "# Returns\n\nSend it back within 30 days.")
    assert page.language == "en"


@every_row("delimiter", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
def test_short_rows_become_a_table(delimiter: str) -> None:
    rows = [["Plan", "Price"], ["Basic", "5"], ["Team", "12"]]
    body = "\n".join(delimiter.join(row) for row in rows).encode()
    assert convert_file("p.csv", body).markdown == "| Plan | Price |\n| --- | --- |\n| Basic | 5 |\n| Team | 12 |"


def test_cells_may_hold_bars_and_lines() -> None:
    body = b'Key,Meaning\nA|B,"one\ntwo"\nC\n'
    assert convert_file("p.csv", body).markdown == "| Key | Meaning |\n| --- | --- |\n| A\\|B | one two |\n| C |  |"


@every_row(
    ("text", "markdown"),
    [
        ("sep=;\nPlan;Price\nBasic;1,5\n", "| Plan | Price |\n| --- | --- |\n| Basic | 1,5 |"),
        ('"sep=|"\r\nPlan|Price\r\nBasic|5\r\n', "| Plan | Price |\n| --- | --- |\n| Basic | 5 |"),
        (
            "Prices, from March\n\nPlan;Price\nBasic;5\nTeam;12\n",
            "Prices, from March\n\n| Plan | Price |\n| --- | --- |\n| Basic | 5 |\n| Team | 12 |",
        ),
        ("Word\nLamp\nBell\n", "| Word |\n| --- |\n| Lamp |\n| Bell |"),
    ],
    ids=["as Excel says", "in quotation marks", "a caption", "one column"],
)
def test_what_stands_above_the_column_names_is_no_row(text: str, markdown: str) -> None:
    assert convert_file("p.csv", text.encode()).markdown == markdown


def test_long_rows_become_an_entry_each() -> None:
    answer = "Send it back. " * 40
    body = f"Question,Answer\nHow?,{answer}\nWhy?,{answer}\n".encode()
    markdown = convert_file("faq.csv", body).markdown
    first, second = markdown.split("\n\n")
    assert first == f"- Question: How?\n- Answer: {answer.strip()}"
    assert second.startswith("- Question: Why?\n")


@pytest.mark.parametrize(
    ("body", "words"), [(b"a,b\n", "only one row"), (b"a,b\n" + b'"' + b"x" * 200_000, "field larger")]
)
def test_what_is_no_table_is_refused(body: bytes, words: str) -> None:
    with pytest.raises(FileRefused, match=words):
        convert_file("p.csv", body)


def test_too_many_rows_or_columns_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_text, "MAX_ROWS", 2)
    monkeypatch.setattr(table_text, "MAX_COLUMNS", 3)
    with pytest.raises(FileRefused, match="more than 2 rows"):
        convert_file("p.csv", b"a\n1\n2\n3\n")
    with pytest.raises(FileRefused, match="more than 3 columns"):
        convert_file("p.csv", b"a,b,c,d\n1,2,3,4\n")


@pytest.mark.parametrize(("name", "body"), [("a.html", b"<html><body></body></html>"), ("a.md", b"<!-- nothing -->")])
def test_a_file_without_text_is_refused(name: str, body: bytes) -> None:
    with pytest.raises(FileRefused, match="no text"):
        convert_file(name, body)


def test_more_text_than_can_be_learnt_is_refused() -> None:
    with pytest.raises(FileRefused, match="Split it"):
        convert_file("a.txt", b"word " * 400_001)


def test_none_of_our_formats_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a picture"):
        convert_file("a.png", b"\x89PNG....")
