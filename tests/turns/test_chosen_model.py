"""An agent may be answered by another chat model of the installation, and its draft by yet another."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.agents.agent import AgentConfig, Version
from app.agents.records import AgentRecords
from app.answers.playground import PlaygroundQuestion
from app.core.turn import TokenUsage
from tests.doubles.answering_house import answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.turns.outcomes import stored, text

QUESTION = "How long is the warranty of a lamp?"


@pytest.mark.parametrize(("chosen", "says"), [("", "Usual"), ("large", "Large"), ("no longer there", "Usual")])
async def test_the_model_that_the_agent_names_answers(tmp_path: Path, chosen: str, says: str) -> None:
    large = ScriptedChatModel(["Large: 3 years [1]."], usage=TokenUsage(100, 7, "gpt-large"))
    config = AgentConfig("Lamps", chat_model=chosen)
    usual = ScriptedChatModel(["Usual: 3 years [1]."])
    async with answering_house(tmp_path, model=usual, config=config, others={"large": large}) as house:
        assert text(await house.ask(QUESTION)).startswith(says)
        usage = (await stored(house)).usage
        assert usage is not None
        assert usage.model == ("gpt-large" if says == "Large" else "scripted")
        assert len(large.requests) == (says == "Large")


async def test_the_draft_is_tried_on_another_model_while_visitors_keep_theirs(tmp_path: Path) -> None:
    usual, large = ScriptedChatModel(["Usual: 3 years [1]."]), ScriptedChatModel(["Large: 3 years [1]."])
    async with answering_house(tmp_path, model=usual, others={"large": large}) as house:
        with house.record.writing() as tx:
            draft = AgentRecords(tx).agent(house.workspace_id, house.agent_id).draft
            AgentRecords(tx).save_draft(house.workspace_id, house.agent_id, replace(draft, chat_model="large"))
        asked = PlaygroundQuestion(QUESTION)
        playground = house.answering.playground
        versions: tuple[Version, ...] = ("draft", "live")
        tried = [(await playground.ask(house.workspace_id, house.agent_id, asked, each)).answer for each in versions]
        assert [each.partition(":")[0] for each in tried] == ["Large", "Usual"]
        assert text(await house.ask(QUESTION)).startswith("Usual")
