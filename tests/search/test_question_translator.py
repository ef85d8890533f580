"""A question in another language is translated once by the helper model."""

from pathlib import Path

import anyio
import pytest

from app.core.errors import ModelUnavailable
from app.search.question_reader import QuestionReader, QuestionTranslator
from app.search.retrieval import RetrievalTrace, SearchQuery
from tests.doubles.answering_house import answering_house
from tests.doubles.german_gloss import german_gloss
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step
from tests.every_row import every_row

FINNISH = "Kuinka pitkä takuu lampulla on ja mitä se kattaa?"
ENGLISH = "How long is the warranty of a lamp and what does it cover?"
REPLY = f'{{"lines": ["{ENGLISH}"]}}'


async def test_it_is_asked_for_once() -> None:
    model = ScriptedChatModel([REPLY])
    translator = QuestionTranslator(model)
    assert [await translator.translated(FINNISH, "en") for _ in range(2)] == [ENGLISH] * 2
    [[task, asked]] = model.requests
    assert "into English" in task.content
    assert FINNISH in asked.content


async def test_a_follow_up_keeps_its_own_line() -> None:
    translator = QuestionTranslator(ScriptedChatModel(['{"lines": ["It broke.", "What now?"]}']))
    assert await translator.translated("Se hajosi.\nMitä nyt?", "en") == "It broke.\nWhat now?"


@every_row(
    "reply",
    [
        pytest.param(["Sorry, no."], id="no JSON"),
        pytest.param(['{"lines": []}'], id="a line is missing"),
        pytest.param(['{"lines": [" "]}'], id="nothing is said"),
        pytest.param([f'{{"lines": ["{"word " * 500}"]}}'], id="it runs on"),
        pytest.param([ModelUnavailable("away")], id="the model is away"),
    ],
)
async def test_without_a_translation_it_says_nothing(reply: list[Step]) -> None:
    assert await QuestionTranslator(ScriptedChatModel(reply)).translated(FINNISH, "en") == ""


async def test_a_pasted_text_is_not_translated() -> None:
    model = ScriptedChatModel([REPLY])
    assert await QuestionTranslator(model).translated(FINNISH * 30, "en") == ""
    assert model.requests == []


async def test_search_reads_the_translation_and_else_the_gloss(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        house.embedder.glosser = german_gloss
        agent = await house.live_agent()

        async def read(question: str, reply: Step) -> tuple[str, str, str | None]:
            translator = QuestionTranslator(ScriptedChatModel([reply]))
            reader = QuestionReader(house.record, house.embedder, house.keywords, translator)
            found = await reader.read(agent, SearchQuery(question, asked_in="fi"), RetrievalTrace())
            return found.said, found.read_as, found.read_in

        assert await read(FINNISH, REPLY) == (FINNISH, ENGLISH, "en")
        assert await read(FINNISH, ModelUnavailable("away")) == (FINNISH, "", None)
        german = "Wie lange gilt die Garantie einer Lampe?"
        assert await read(german, ModelUnavailable("away")) == (
            german,
            "how long is valid the warranty of a lamp",
            "en",
        )
        assert await read(ENGLISH, anyio.Event()) == (ENGLISH, "", None)
