"""A curated answer with results of actions in the place of their names, whatever makes the calls."""

import pytest

from app.answers.curated.curated_answer import filled_answer
from app.answers.offered_actions import AnswerActions
from tests.doubles.scripted_actions import ScriptedActions


async def filled(text: str, actions: AnswerActions | None) -> str | None:
    async def offered() -> AnswerActions | None:
        return actions

    answer = await filled_answer(text, offered)
    return answer.text if answer else None


async def test_each_place_gets_the_result_of_its_action() -> None:
    actions = ScriptedActions({"stock": "12", "price": "9 EUR"})
    assert await filled("{{action.stock}} left, {{action.price}} each.", actions) == "12 left, 9 EUR each."


@pytest.mark.parametrize("actions", [None, ScriptedActions(), ScriptedActions({"price": "9 EUR"})])
async def test_half_an_answer_is_none(actions: ScriptedActions | None) -> None:
    assert await filled("{{action.stock}} left, {{action.price}} each.", actions) is None


async def test_an_answer_without_a_place_needs_no_action() -> None:
    assert await filled("We ship worldwide.", None) == "We ship worldwide."
