"""An agent names a chat model that the installation or its workspace offers, or none."""

from pathlib import Path

import pytest

from app.agents.model_endpoints import NO_NAMES, ChatModelNames
from app.core.errors import InvalidInput
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent
from tests.web.house import open_house


@pytest.mark.parametrize(
    ("names", "fix"),
    [(ChatModelNames(("large", "small")), "Choose one of: large, small."), (NO_NAMES, "There are none yet")],
)
async def test_another_name_is_refused_with_those_that_there_are(
    tmp_path: Path, names: ChatModelNames, fix: str
) -> None:
    async with temporary_record(tmp_path) as record:
        workspace_id = new_agent(record).workspace_id
        with record.reading() as tx:
            with pytest.raises(InvalidInput, match=fix) as refused:
                names.check(tx, workspace_id, "huge")
            assert refused.value.field == "chat_model"
            for known in ("", "none", *names):
                names.check(tx, workspace_id, known)


async def test_a_change_of_an_agent_names_the_field(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        refused = await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"chat_model": "huge"})
        assert refused.status_code == 422
        assert "There is no such model." in refused.text
        kept = await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"chat_model": ""})
        assert kept.status_code == 200
