"""The same three conversations, in the forms that six vendors document, are the same questions and replies."""

import json
from pathlib import Path

import pytest

from app.core.errors import InvalidInput
from app.past_questions.exports import MOST_CONVERSATIONS, Export, conversations
from app.past_questions.past_conversation import first_question
from tests.every_row import every_row

EXPORTS = Path(__file__).parent / "exports"


@every_row("kind", list(Export))
def test_questions_and_replies_are_read_and_masked(kind: Export) -> None:
    [file] = EXPORTS.glob(f"{kind.value}.json") if kind is not Export.CSV else EXPORTS.glob("*.csv")
    found = conversations(kind, file.read_text("utf-8"))
    assert len(found) == 3
    questions = [question for each in found if (question := first_question(each)) is not None]
    assert [(each.text, each.reply) for each in questions] == [
        (
            "Can I rent a station for a weekend? You can reach me at [email]",
            "Yes, for €25 a weekend. Call [phone].",
        ),
        ("How long is the warranty on a station?", ""),
    ]


@every_row("kind", list(Export))
@every_row("text", ["", "[]", "null", "7", "{", '[{"name": "x"}]', "a,b\n1,2\n", "[" * 100_000])
def test_any_other_file_is_refused_with_what_is_expected(kind: Export, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"file: .*(Give|Name)") as refused:
        conversations(kind, text)
    assert "Error" not in str(refused.value)


def test_an_object_a_line_may_hold_what_other_programs_break_lines_at() -> None:
    lines = [
        json.dumps({"id": n, "requester_id": 1, "description": "Is it\u2028or\x85is it not?"}, ensure_ascii=False)
        for n in range(2)
    ]
    assert len(conversations(Export.ZENDESK, "\r\n".join(lines))) == 2


def test_what_an_object_lacks_is_named() -> None:
    with pytest.raises(InvalidInput, match='not an export of crisp; an object has no "session_id"'):
        conversations(Export.CRISP, '[{"type": "text", "content": "Hello"}]')


def test_a_reply_of_the_vendors_assistant_is_not_the_teams() -> None:
    text = (EXPORTS / "intercom.json").read_text("utf-8").replace('"id": "a1"', '"id": "a1", "from_ai_agent": true')
    first = first_question(conversations(Export.INTERCOM, text)[0])
    assert first is not None
    assert first.reply == ""


def test_more_than_can_be_compared_are_refused() -> None:
    rows = "\n".join(f"Question {number}?" for number in range(MOST_CONVERSATIONS + 1))
    with pytest.raises(InvalidInput, match="5001 conversations are too many"):
        conversations(Export.CSV, f"question\n{rows}\n")
