"""The model is told of the visitor what the agent's settings name, and nothing else."""

from pathlib import Path

import pytest

from app.agents.agent import AgentConfig
from app.conversations.conversation import Visitor
from app.conversations.records.conversations import ConversationRecords
from app.core.visitor_attribute import VisitorAttribute
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel

KNOWN = (
    VisitorAttribute("email", "ann@example.com", is_signed=True),
    VisitorAttribute("plan", "pro", is_signed=True),
    VisitorAttribute("theme", "dark", is_signed=False),
)


def tell(house: AnsweringHouse) -> None:
    session = house.session
    with house.record.writing() as tx:
        visitor = Visitor(session.visitor_id, session.agent_id, session.visitor_id)
        ConversationRecords(tx).add_attributes(visitor, KNOWN)


@pytest.mark.parametrize(
    ("names", "told"), [((), []), (("plan", "theme"), ["plan: pro (signed)", "theme: dark (unproven)"])]
)
async def test_the_model_is_told_what_the_agent_names(names: tuple[str, ...], told: list[str], tmp_path: Path) -> None:
    model = ScriptedChatModel()
    config = AgentConfig(name="Lamps", prompt_attributes=names)
    async with answering_house(tmp_path, model=model, config=config) as house:
        tell(house)
        await house.ask("How long may I return a lamp?")
    prompt = "\n".join(message.content for message in model.requests[0])
    assert [line[2:] for line in prompt.splitlines() if line.endswith(("(signed)", "(unproven)"))] == told
    assert "ann@example.com" not in prompt
