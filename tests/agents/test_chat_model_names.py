"""An agent names a chat model that the installation offers, or none."""

from pathlib import Path

import pytest

from app.agents.chat_model_names import NO_NAMES, ChatModelNames
from app.core.errors import InvalidInput
from tests.web.house import open_house


@pytest.mark.parametrize(
    ("names", "fix"),
    [(ChatModelNames(("large", "small")), "Choose one of: large, small."), (NO_NAMES, "offers none")],
)
def test_another_name_is_refused_with_those_that_there_are(names: ChatModelNames, fix: str) -> None:
    with pytest.raises(InvalidInput, match=fix) as refused:
        names.check("huge")
    assert refused.value.field == "chat_model"
    for known in ("", *names):
        names.check(known)


async def test_a_change_of_an_agent_names_the_field(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        refused = await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"chat_model": "huge"})
        assert refused.status_code == 422
        assert "There is no such model." in refused.text
        kept = await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"chat_model": ""})
        assert kept.status_code == 200
