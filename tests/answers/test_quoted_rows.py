"""Of a table, an answer quotes the rows about the code that is asked about."""

from app.answers.writing.quotation import matching_rows
from tests.answers.extractive_answers import answer, source

CODES = """| Code | Meaning | What to do |
| --- | --- | --- |
""" + "\n".join(
    f"| E{number} | The {part} of the lamp has failed | Replace the {part}, or have it replaced |"
    for number, part in enumerate(("bulb", "cable", "switch", "shade", "foot", "plug", "fuse", "timer"), start=41)
)


def test_text_around_a_table_stays() -> None:
    assert matching_rows(f"All codes.\n\n{CODES}\n\nE41 is rare.", {"e42"}).splitlines() == [
        "All codes.",
        "",
        *CODES.splitlines()[:2],
        CODES.splitlines()[3],
        "",
        "E41 is rare.",
    ]


def test_a_code_within_another_one_or_in_another_column_selects_no_row() -> None:
    assert matching_rows(CODES, {"e4"}) == CODES
    assert matching_rows(CODES, {"cable"}) == CODES


async def test_of_a_table_the_row_about_the_code_is_quoted() -> None:
    found = await answer("What does error code E42 mean?", source(1, CODES, "Error codes"))
    assert "| Code | Meaning | What to do |" in found
    assert "| E42 | The cable of the lamp has failed | Replace the cable, or have it replaced |" in found
    assert "E41" not in found
    assert "E48" not in found


async def test_of_two_codes_both_rows_are_quoted() -> None:
    found = await answer("Which lamp part do E42 and E43 mean?", source(1, CODES, "Error codes"))
    assert "E42" in found
    assert "E43" in found
    assert "E44" not in found


async def test_a_table_without_a_row_about_the_code_stays_whole() -> None:
    found = await answer("Has the lamp of type LX-2 a fuse that failed?", source(1, CODES, "Error codes of the LX-2"))
    assert "E41" in found or "E47" in found


def test_a_code_may_be_cut_otherwise_than_in_the_table() -> None:
    assert matching_rows(CODES, {"e-42"}) == matching_rows(CODES, {"e42"}) != CODES
