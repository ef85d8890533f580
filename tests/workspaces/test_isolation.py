"""To another workspace nothing of this one is there."""

from dataclasses import replace
from uuid import uuid4

import pytest

from app.core.errors import NotFound
from tests.every_row import every_row
from tests.office.acts import CHANGES, READS
from tests.office.office import Office

NAMING_NOTHING = (
    *("agent.create", "token.create", "operator.create", "saved_filter.create"),
    *("signing_key.rotate", "secrets.rotate", "secrets.forget"),
)


@every_row("name", [*(c for c in CHANGES if c not in NAMING_NOTHING), *READS])
async def test_another_workspace_finds_nothing_and_changes_nothing(name: str, office: Office) -> None:
    stranger = replace(office, actor=replace(office.actor, workspace_id=uuid4()))
    act = CHANGES.get(name) or READS[name]
    with pytest.raises(NotFound):
        await act(stranger)
    assert office.audit() == []
    assert office.jobs == stranger.jobs
    assert (office.jobs.crawls, office.jobs.deletions, office.jobs.reconciled) == ([], [], [])
