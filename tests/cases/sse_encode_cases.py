"""Runs the `encode` rows of sse_cases.jsonl: a model's deltas through the HTTP response, read as a browser does."""

import json
import re
from uuid import uuid4

from app.core.turn_events import Start, Token
from tests.cases.case_rows import Row, require_known
from tests.doubles.scripted_turns import the_receipt
from tests.web.house import VisitorHttp, a_question

FIELDS = frozenset({"id", "kind", "tokens", "expected_text", "expected_any", "expected_text_utf16_join", "why", "note"})
_LINE_END = re.compile(r"\r\n|\r|\n")


async def run_encode_row(row: Row, visitor: VisitorHttp) -> None:
    """Assert that the reader's joined text is the row's, and that the stream ends once."""
    require_known(row, FIELDS)
    turn_id = uuid4()
    turns = visitor.house.turns
    turns.script = [*(Token(token) for token in row["tokens"]), the_receipt(turn_id)]
    response = await visitor.call("POST", "/messages/stream", a_question(turn_id))
    events = [json.loads(data) for data in _data_of(response.content.decode("utf-8"))]
    assert events[0]["event"] == Start.name
    assert [event["event"] for event in events[1:]].count("done") == 1
    assert events[-1]["event"] == "done"
    text = _joined("".join(event["token"] for event in events if event["event"] == Token.name))
    accepted = [_joined(wanted) for wanted in (row["expected_text"], *row.get("expected_any", ()))]
    if "expected_text_utf16_join" in row:
        accepted = [_joined(row["expected_text_utf16_join"])]
    assert text in accepted


def _data_of(stream: str) -> list[str]:
    """https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation"""
    found: list[str] = []
    data: list[str] = []
    for line in _LINE_END.split(stream):
        if not line:
            if data:
                found.append("\n".join(data))
            data = []
            continue
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
    return found


def _joined(text: str) -> str:
    """As a browser's UTF-16 strings do, halves of a surrogate pair become the character; lone ones stay."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
