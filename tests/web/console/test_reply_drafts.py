"""What the agent would answer is put into the form of a live chat, for the operator to edit; nothing is sent."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundQuestion
from app.conversations.live_chat import MAX_TEXT_CHARS
from app.core.turn import AnsweredBy, Citation, Finish
from tests.web.console.page_examples import OpenConsole
from tests.web.console.test_live import chat, heard, say, take
from tests.web.console.test_saved_replies import text_typed

LAMPS = Citation(1, "https://www.example.com/lamps#bulbs", "Lamps", None, "c1")


@pytest.fixture
async def asked(console: OpenConsole, monkeypatch: pytest.MonkeyPatch) -> list[PlaygroundQuestion]:
    """An operator has a chat, and the agent knows all about bulbs."""
    await console.visitor_asks_for_a_person()
    await take(console, console.editor)
    questions: list[PlaygroundQuestion] = []

    async def answer(workspace: UUID, agent: UUID, question: PlaygroundQuestion, *others: Any) -> PlaygroundAnswer:
        questions.append(question)
        known = "bulb" in question.text
        text = (
            "## Bulbs\nAn **LED** bulb with `E27` [1], 2*3 in all.\n\n1. Switch it off. [1]"
            if known
            else "I do not know."
        )
        how = AnsweredBy.EXTRACTIVE if known else AnsweredBy.FALLBACK
        page = f"{LAMPS.url.partition('#')[0]}/{'a' * MAX_TEXT_CHARS}" if "long" in question.text else LAMPS.url
        cited = (replace(LAMPS, url=page),) if known else ()
        return PlaygroundAnswer(text, how, 0.9, not known, Finish.COMPLETE, "en", 1, citations=cited)

    monkeypatch.setattr(console.house.parts.get(Playground), "ask", answer)
    return questions


async def test_the_answer_stands_after_what_was_typed_as_plain_text_with_its_page(
    console: OpenConsole, asked: list[PlaygroundQuestion]
) -> None:
    await console.editor.post(chat(console, "/reply"), {"message_id": str(uuid4()), "text": "How can I help?"})
    await say(console, "My lamp is dark.")
    await say(console, "Which bulb does it need?")
    shown = await console.editor.post(chat(console, "/draft"), {"text": "Good day!"})
    assert text_typed(shown.text) == (
        "Good day!\nBulbs\nAn LED bulb with E27, 2*3 in all.\n\n1. Switch it off.\nhttps://www.example.com/lamps"
    )
    assert [question.text for question in asked] == ["My lamp is dark.\nWhich bulb does it need?"], "since the reply"
    assert [exchange.question for exchange in asked[0].history] == ["What does it cost?"]
    assert [text for _, text in await heard(console)] == ["How can I help?"]


async def test_an_address_as_long_as_a_message_takes_no_room_of_the_answer(
    console: OpenConsole, asked: list[PlaygroundQuestion]
) -> None:
    await say(console, "Which bulb for long evenings?")
    shown = await console.editor.post(chat(console, "/draft"), {"text": ""})
    assert text_typed(shown.text) == "Bulbs\nAn LED bulb with E27, 2*3 in all.\n\n1. Switch it off."


async def test_where_the_visitor_has_written_nothing_since_their_last_question_is_answered(
    console: OpenConsole, asked: list[PlaygroundQuestion]
) -> None:
    await console.editor.post(chat(console, "/reply"), {"message_id": str(uuid4()), "text": "How can I help?"})
    shown = await console.editor.post(chat(console, "/draft"), {"text": "Good day!"})
    assert "The pages do not answer this." in shown.text
    assert text_typed(shown.text) == "Good day!", "what was typed stays"
    assert [(question.text, question.history) for question in asked] == [("What does it cost?", ())]
