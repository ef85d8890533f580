import json

import pytest

from app.actions.action_request import NoResult, result_text
from tests.every_row import every_row

ORDER = {"order": {"status": "shipped", "lines": [{"name": "Lamp", "count": 2}], "note": None, "paid": True}}


def test_json_is_read_as_a_line_a_value() -> None:
    text = result_text(json.dumps(ORDER).encode(), "", 500)
    assert text.splitlines() == [
        "order.status: shipped",
        "order.lines.0.name: Lamp",
        "order.lines.0.count: 2",
        "order.paid: true",
    ]


@pytest.mark.parametrize(
    ("path", "said"),
    [("order.status", "shipped"), ("order.lines.0", "name: Lamp\ncount: 2"), ("order.lines.0.count", "2")],
)
def test_a_path_leads_to_a_part(path: str, said: str) -> None:
    assert result_text(json.dumps(ORDER).encode(), path, 500) == said


@every_row(
    ("body", "path"),
    [
        (b"", ""),
        (b"{}", ""),
        (b" \x00 ", ""),
        (b"{}", "order"),
        (b"[1]", "1"),
        (b"[1]", "99999999999999999999"),
        (b"<html>", "order"),
        (b'{"order": ' + b"[" * 100_000, "order"),
        (b"[" * 30 + b"1" + b"]" * 30, ""),
    ],
)
def test_what_cannot_be_read_says_so(body: bytes, path: str) -> None:
    with pytest.raises(NoResult):
        result_text(body, path, 500)


def test_a_long_result_is_cut_at_the_end_of_a_line() -> None:
    text = result_text(json.dumps({str(number): "word" for number in range(10_000)}).encode(), "", 100)
    assert len(text) <= 100
    assert text.splitlines()[-1].endswith(": word")


def test_another_text_stands_as_it_is_without_what_the_eye_does_not_see() -> None:
    assert result_text("open\u202e until\u200b 17".encode(), "", 500) == "open until 17"
    assert result_text(b"caf\xe9", "", 500) == "caf\ufffd"
