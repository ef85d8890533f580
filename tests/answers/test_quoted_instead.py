"""Of a model's answer that nothing confirms, visitors get the quotation that they would get without a model."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.agents.agent import AgentConfig, AnswerCheck
from app.answers.writing.answer_context import AnswerContext, Source, WritingItem
from app.answers.writing.generation import Generation
from app.core.errors import ModelInterrupted
from app.core.turn import AnsweredBy, Finish, TokenUsage
from app.providers.chat.chat_model import ChatEnd, TextDelta
from tests.doubles.answering_house import answering_house
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.turns.outcomes import done, text

ASKED = "How long is the warranty of a lamp?"
CONFIG = AgentConfig(name="Lamps", answer_check=AnswerCheck.QUOTE)
SOURCE = Source(
    1, "https://x.example/", "Lamps", "The warranty of a lamp is 3 years. Call us.", chunk_id="c", calibrated=0.8
)
QUOTED = "The warranty of a lamp is 3 years [1]"
WRONG = ("The warranty ", "is 9 years [1].")


async def test_the_pages_are_quoted_instead_of_what_they_do_not_confirm(tmp_path: Path) -> None:
    async with answering_house(tmp_path, model=ScriptedChatModel(WRONG), config=CONFIG, checks_answers=True) as house:
        events = await house.ask(ASKED)
        assert done(events).answered_by is AnsweredBy.EXTRACTIVE
        assert "3 years" in text(events)
        assert "9 years" not in text(events)
        turn = await house.stored_turn()
        assert turn.trace["quoted_instead"].startswith("The warranty is 9 years [1].")
        assert turn.trace["answer_check"]["not_confirmed"] == 1
        assert not turn.low_confidence


async def test_a_confirmed_answer_is_the_models(tmp_path: Path) -> None:
    model = ScriptedChatModel(["The warranty of a lamp is 3 years", " [1]. ", "Ask us."])
    async with answering_house(tmp_path, model=model, config=CONFIG, checks_answers=True) as house:
        events = await house.ask(ASKED)
        assert done(events).answered_by is AnsweredBy.MODEL
        assert text(events) == "The warranty of a lamp is 3 years [1]. Ask us."


class Writes:
    """A writer of these pieces; it breaks off if they end with an error."""

    def __init__(self, by: AnsweredBy, *pieces: str | Exception, confidence: float | None = None) -> None:
        self.answered_by = by
        self._pieces = pieces
        self._confidence = confidence

    async def write(self, context: AnswerContext) -> AsyncGenerator[WritingItem, None]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield TextDelta(piece)
        yield ChatEnd(Finish.COMPLETE, TokenUsage(), confidence=self._confidence)


async def written(*writers: Writes, source: Source = SOURCE) -> tuple[Generation, Sequence[str]]:
    shown: list[str] = []
    context = AnswerContext(CONFIG, ASKED, ASKED, (source,), language="en")
    generation = Generation(context, lambda piece, whole: shown.append(piece), HashingEmbedder())
    await generation.write(writers)
    return generation, shown


async def test_nothing_is_shown_before_the_first_statement_is_proven_and_all_at_once_from_then_on() -> None:
    model = Writes(AnsweredBy.MODEL, "Sure! ", "The warranty of a ", "lamp is 3 years [1]. ", "Call ", "us ", "now.")
    generation, shown = await written(model, Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=0.9))
    assert shown == ["Sure! The warranty of a lamp is 3 years [1]. Call", " us", " now."]
    assert generation.answered_by is AnsweredBy.MODEL


@pytest.mark.parametrize("confidence", [None, 0.2])
async def test_without_a_sure_quotation_the_models_answer_is_shown_with_its_marks(confidence: float | None) -> None:
    generation, _ = await written(
        Writes(AnsweredBy.MODEL, *WRONG), Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=confidence)
    )
    assert generation.answered_by is AnsweredBy.MODEL
    assert generation.text == "The warranty is 9 years [1]. *(not confirmed by the sources)*"
    assert generation.verdict is not None
    assert generation.verdict.is_failed


@pytest.mark.parametrize(("confidence", "by"), [(0.6, AnsweredBy.EXTRACTIVE), (0.35, AnsweredBy.MODEL)])
async def test_of_a_proven_answer_from_an_unlikely_source_and_a_quotation_the_likelier_is_shown(
    confidence: float, by: AnsweredBy
) -> None:
    generation, _ = await written(
        Writes(AnsweredBy.MODEL, "The warranty of a lamp is 3 years [1]."),
        Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=confidence),
        source=replace(SOURCE, calibrated=0.4),
    )
    assert generation.answered_by is by


async def test_a_quotation_that_is_likelier_than_what_nothing_proves_is_shown_even_if_it_is_not_sure() -> None:
    generation, _ = await written(
        Writes(AnsweredBy.MODEL, *WRONG), Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=0.4)
    )
    assert generation.text == QUOTED


async def test_a_question_asked_back_is_the_models() -> None:
    generation, _ = await written(
        Writes(AnsweredBy.MODEL, "Which lamp do you mean?"), Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=0.9)
    )
    assert generation.text == "Which lamp do you mean?"


async def test_an_answer_that_breaks_off_before_it_is_shown_is_replaced() -> None:
    broken = Writes(AnsweredBy.MODEL, "The warranty is ", ModelInterrupted("The model broke off."))
    generation, shown = await written(broken, Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=0.2))
    assert "".join(shown) == QUOTED
    assert generation.trace["model_away"] == "The model broke off."


async def test_an_answer_that_breaks_off_after_its_first_statement_stays() -> None:
    with pytest.raises(ModelInterrupted):
        await written(
            Writes(AnsweredBy.MODEL, "The warranty of a lamp is 3 years [1]. Call ", "us ", ModelInterrupted("Off.")),
            Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=0.9),
        )


async def test_the_visitors_own_question_is_no_question_asked_back() -> None:
    generation, _ = await written(
        Writes(AnsweredBy.MODEL, "How long is the warranty of a lamp? [1]"),
        Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=0.9),
    )
    assert generation.text == QUOTED


async def test_a_sentence_that_only_points_to_a_source_answers_nothing() -> None:
    generation, _ = await written(
        Writes(AnsweredBy.MODEL, "You can find more information in the source [1]."),
        Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=0.9),
    )
    assert generation.text == QUOTED


async def test_a_model_may_decline_what_is_quoted_without_one() -> None:
    generation, _ = await written(
        Writes(AnsweredBy.MODEL, "I could not find this in the sources."),
        Writes(AnsweredBy.EXTRACTIVE, QUOTED, confidence=0.9),
    )
    assert generation.answered_by is AnsweredBy.MODEL
