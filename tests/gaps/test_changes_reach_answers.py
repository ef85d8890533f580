"""A change reaches what answers are found in: the indexes, and what was kept of earlier searches."""

from dataclasses import replace

import pytest

from app.sources.deletions.deletion import DeletedKind
from tests.office.acts import CHANGES
from tests.office.office import Office


async def test_a_deleted_agents_indexes_are_forgotten_by_a_worker(office: Office) -> None:
    deletion = await office.deletions.delete(office.actor, DeletedKind.AGENT, office.agent)
    assert office.jobs.deletions == [(office.agent, deletion.id)]


async def test_publishing_another_language_rebuilds_the_keyword_index(office: Office) -> None:
    await office.agents.publish(office.actor, office.agent)
    assert office.jobs.reconciled == []
    await office.agents.change_draft(office.actor, office.agent, lambda c: replace(c, language="de"))
    await office.agents.publish(office.actor, office.agent)
    assert office.jobs.reconciled == [office.agent]
    await office.agents.publish(office.actor, office.agent)
    assert office.jobs.reconciled == [office.agent]


@pytest.mark.parametrize("verb", ["create", "edit", "approve", "restore", "delete"])
async def test_what_is_answered_from_has_changed_with_a_curated_answer(verb: str, office: Office) -> None:
    before = await office.generation()
    await CHANGES[f"curated_answer.{verb}"](office)
    assert await office.generation() > before
