"""A model's answer is judged by what it says, not by its marks, if it is shown."""

from pathlib import Path

import pytest

from app.agents.agent import AgentConfig, AnswerCheck
from app.core.turn import GapReason, StoredTurn
from tests.doubles.answering_house import answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.turns.outcomes import open_gaps, text

RIGHT, WRONG = "Every lamp has a warranty of 3 years", "Every lamp has a warranty of 9 years"


async def judged(folder: Path, answer: str) -> tuple[str, StoredTurn, list[GapReason]]:
    """What was shown and stored, and the reasons of the gaps."""
    model, config = ScriptedChatModel([answer]), AgentConfig(name="Lamps", answer_check=AnswerCheck.MARK)
    async with answering_house(folder, model=model, config=config, checks_answers=True) as house:
        events = await house.ask("How long is the warranty of a lamp?")
        return text(events), await house.stored_turn(), [reason for _, _, reason in await open_gaps(house)]


@pytest.mark.parametrize("answer", [f"{RIGHT}.", f"{RIGHT} [1].", f"{RIGHT}. This can be found in the source [1]."])
async def test_what_the_sources_prove_is_sure_and_cited_whether_or_not_the_model_cites_it(
    tmp_path: Path, answer: str
) -> None:
    told, end, gaps = await judged(tmp_path, answer)
    assert "[1]" in told
    assert "can be found" not in told
    assert [cited.url for cited in end.citations] == ["https://lamps.example/warranty"]
    assert not end.low_confidence
    assert gaps == []


@pytest.mark.parametrize("answer", [f"{WRONG} [1].", f"{WRONG}.", f"{RIGHT} [1]. {WRONG} [1]."])
async def test_an_answer_with_a_sentence_that_fails_is_low_and_a_gap(tmp_path: Path, answer: str) -> None:
    _, end, gaps = await judged(tmp_path, answer)
    assert end.low_confidence
    assert gaps == [GapReason.UNCONFIRMED]


async def test_what_nothing_proves_is_low_and_a_gap(tmp_path: Path) -> None:
    _, end, gaps = await judged(tmp_path, "It depends on how the lamp was used and stored at home.")
    assert end.low_confidence
    assert gaps == [GapReason.LOW_CONFIDENCE]


async def test_an_honest_decline_is_a_gap(tmp_path: Path) -> None:
    told, _, gaps = await judged(tmp_path, "The sources do not mention the warranty of lamps.")
    assert "not confirmed" not in told
    assert len(gaps) == 1


@pytest.mark.parametrize("answer", ["Do you mean the lamp or its battery?", "You're welcome! Feel free to ask again."])
async def test_a_question_back_and_thanks_are_neither_low_nor_a_gap(tmp_path: Path, answer: str) -> None:
    _, end, gaps = await judged(tmp_path, answer)
    assert not end.low_confidence
    assert gaps == []


async def test_what_only_repeats_the_question_is_no_answer(tmp_path: Path) -> None:
    _, end, _ = await judged(tmp_path, "The warranty of a lamp is long [1].")
    assert end.low_confidence
