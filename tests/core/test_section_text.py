import pytest

from app.core.text.markdown.section_text import (
    markdown_name,
    section_name,
    section_text,
    unnumbered,
    without_section_number,
)
from tests.every_row import every_row


def test_chunks_are_one_text_in_their_order() -> None:
    assert section_text(["## Returns\n\nWithin 30 days.", "Then not."]) == "## Returns\n\nWithin 30 days.\n\nThen not."


def test_an_introduction_that_is_repeated_is_said_once() -> None:
    assert section_text(["It takes these:\n\n- a\n- b", "It takes these:\n\n- c"]) == "It takes these:\n\n- a\n- b\n- c"


def test_code_that_goes_on_is_one_block_under_the_item_that_names_it() -> None:
    name, *parts = "- `bind`: set a key", "```\n/bind KEY\n```", "```\n/unbind KEY\n```"

    assert section_text([f"{name}\n\n{part}" for part in parts]) == f"{name}\n\n```\n/bind KEY\n/unbind KEY\n```"


def test_the_item_that_names_a_command_is_said_once() -> None:
    usage = "- `bind`: set a key\n\n```\n/bind KEY\n```\n\nA key:\n\n```\na\n```\n\nIt is set.\n\nIt stays."

    assert section_text([usage, "- `bind`: set a key\n\nA day."]) == f"{usage}\n\nA day."


def test_code_in_another_language_stays_apart() -> None:
    assert section_text(["```sh\nmake\n```", "```c\nint a;\n```"]) == "```sh\nmake\n```\n\n```c\nint a;\n```"


def test_a_table_that_goes_on_is_one_table() -> None:
    header = "| Plan | Price |\n|---|---|"

    assert section_text([f"{header}\n| A | 1 |", f"{header}\n| B | 2 |"]) == f"{header}\n| A | 1 |\n| B | 2 |"


def test_tables_of_other_headers_stay_apart() -> None:
    one, other = "| Plan |\n|---|\n| A |", "| Price |\n|---|\n| 1 |"

    assert section_text([one, other]) == f"{one}\n\n{other}"


def test_a_name_keeps_what_markdown_would_not_read() -> None:
    assert section_name("`mod_ssl`: *the* GET_BAR_CONFIG reply_") == "mod_ssl: the GET_BAR_CONFIG reply"


def test_a_name_ends_without_the_colon_that_announces_something() -> None:
    assert markdown_name("To restore a file:") == "To restore a file"


def test_a_sign_that_is_part_of_a_word_stays_in_a_name() -> None:
    assert section_name("## C++ and C# clients ##") == "C++ and C# clients"
    assert section_name("Issue #5") == "Issue #5"


def test_a_type_in_a_heading_keeps_its_brackets() -> None:
    assert section_name("Sharing a `Mutex<T>`") == "Sharing a Mutex<T>"
    assert markdown_name("Sharing a `Mutex<T>`") == "Sharing a Mutex\\<T>"


@every_row(
    ("heading", "language", "name"),
    [
        pytest.param("3.9. Tanks", "en", "Tanks", id="two parts"),
        pytest.param("3.9.1. Tanks", "de", "Tanks", id="three parts"),
        pytest.param("24.12. Heiligabend", "de", "24.12. Heiligabend", id="a date"),
        pytest.param("3.11 What is new", "en", "3.11 What is new", id="a version"),
        pytest.param("1. Get access", "en", "1. Get access", id="a step"),
        pytest.param("3.9.", "en", "3.9.", id="only a number"),
    ],
)
def test_the_number_of_a_manuals_section_is_no_part_of_its_name(heading: str, language: str, name: str) -> None:
    assert without_section_number(heading, language) == name
    assert markdown_name(heading, language) == name


def test_a_heading_that_begins_with_a_date_is_not_numbered() -> None:
    assert unnumbered("23 September 2026") == "23 September 2026"
