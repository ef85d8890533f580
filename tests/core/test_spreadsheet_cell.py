import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from app.core.delimited_text import as_cell
from tests.every_row import every_row


@every_row(
    ("text", "cell"),
    [
        ("How much is it?", "How much is it?"),
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        (" \t+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("\u200b@SUM(A1)", "'@SUM(A1)"),
        ("＝1+1", "'＝1+1"),
        ("a\n=1", "a =1"),
        ("", ""),
    ],
)
def test_no_cell_starts_a_formula(text: str, cell: str) -> None:
    assert as_cell(text) == cell


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_a_row_comes_back_from_the_file_as_it_was_and_runs_nothing(texts: list[str]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerow(["x", *map(as_cell, texts)])
    [row] = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert row == ["x", *map(as_cell, texts)]
    assert all(cell[:1] not in tuple("=+-@\t\r\n") or not cell for cell in row)
