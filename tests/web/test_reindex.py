"""An agent is indexed again by API: what it costs, and that a worker is told."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.agent_choices import ContextKind
from app.agents.agents import Agents
from app.sources import kinds
from app.sources.source import SourceConfig
from app.sources.sources import Sources
from tests.doubles.learnt_pages import learn
from tests.web.house import SITE, House, Json


async def furnish(house: House, kind: ContextKind) -> None:
    """Two pages of three chunks."""
    agents = house.parts.get(Agents)

    def with_kind(draft: AgentConfig) -> AgentConfig:
        return replace(draft, contextual_chunks=kind)

    await agents.change_draft(house.actor, house.agent.id, with_kind)
    await agents.publish(house.actor, house.agent.id)
    source = await house.parts.get(Sources).create(house.actor, house.agent.id, SourceConfig(kinds.SITE, "S", SITE))
    for path, *sections in (("/a", ("", "A lamp."), ("Cost", "Nine euros.")), ("/b", ("", "A roof."))):
        await learn(house.record, house.keywords, house.agent.id, source.id, SITE + path, path, *sections)


async def estimated(house: House) -> Json:
    response = await house.api("GET", f"/v1/agents/{house.agent.id}/reindex")
    assert response.status_code == 200, response.text
    found: Json = response.json()
    return found


async def test_contexts_that_the_model_would_write_are_counted_beforehand(house: House) -> None:
    await furnish(house, ContextKind.MODEL)
    found = await estimated(house)
    assert (found["documents"], found["chunks"], found["to_write"], found["answer_tokens"]) == (2, 3, 3, 300)
    assert found["prompt_tokens"] > 3 * 50
    assert found["price"] is None


async def test_without_contexts_by_the_model_nothing_is_written(house: House) -> None:
    await furnish(house, ContextKind.STRUCTURAL)
    found = await estimated(house)
    assert (found["chunks"], found["to_write"], found["prompt_tokens"], found["answer_tokens"]) == (3, 0, 0, 0)


async def test_a_worker_is_told_and_the_audit_names_who_asked(house: House) -> None:
    response = await house.api("POST", f"/v1/agents/{house.agent.id}/reindex")
    assert response.status_code == 204
    assert house.jobs.reindexed == [house.agent.id]
    entries = (await house.api("GET", "/v1/audit?action=agent.reindex")).json()["items"]
    assert [entry["subject"] for entry in entries] == [str(house.agent.id)]


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_an_agent_of_nobody_is_not_found(house: House, method: str) -> None:
    other: UUID = uuid4()
    assert (await house.api(method, f"/v1/agents/{other}/reindex")).status_code == 404
    assert house.jobs.reindexed == []
