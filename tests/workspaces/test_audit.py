"""Every change leaves a row that says who did what, in the same transaction; reading leaves none."""

from dataclasses import replace
from uuid import UUID

import pytest

from app.core.errors import InvalidInput
from tests.every_row import every_row
from tests.office.acts import CHANGES, READS
from tests.office.office import Office

# What they change is no row of their subject (a run, a file, a document, an access, a proposal), or nothing here: there
# is no hook to remove, and the turn was a gap before.
ELSEWHERE = {
    *("agent.pause", "agent.resume"),
    *("source.sync", "source.sync_pages", "source.pause", "source.resume", "source.cancel", "source.replace_file"),
    *(
        "source.give_documents",
        "source.remove_hook",
        "source.unschedule",
        "agent.remove_user_secret",
        "gap.reopen",
        "gap.flag",
        "agent.report",
        "source.set_access",
        "source.clear_access",
        "curated_answer.propose",
        "curated_answer.decline",
    ),
}
# A visitor's data, of which not even a hash is kept; and what has no subject.
UNTOLD = {
    *("visitor.erase", "conversation.erase", "signing_key.rotate", "secrets.rotate", "secrets.forget"),
    *("golden_question.run", "golden_question.import"),
    *("lead.edit", "conversation.edit", "conversation.note", "conversation.remove_note"),
}
ADDING = (".create", ".upload_file", "repository.set")
REMOVING = (".delete", "repository.remove")


@pytest.mark.parametrize("action", CHANGES)
async def test_a_change_is_audited_with_a_hash_of_its_subject_before_and_after(action: str, office: Office) -> None:
    earlier = len(office.audit())
    await CHANGES[action](office)
    [(actor, what, subject)] = office.audit()[earlier:]
    assert (actor, what) == ("ann", action)
    assert str(UUID(subject)) == subject
    before, after = office.last_hashes()
    assert (before is None) == (action in UNTOLD or action.endswith(ADDING))
    assert (after is None) == (action in UNTOLD or action.endswith(REMOVING))
    assert (before == after) == (action in UNTOLD | ELSEWHERE)


@every_row("name", READS)
async def test_reading_is_not(name: str, office: Office) -> None:
    await READS[name](office)
    assert office.audit() == []


async def test_a_refused_change_leaves_nothing(office: Office) -> None:
    with pytest.raises(InvalidInput):
        await office.agents.change_draft(office.actor, office.agent, lambda c: replace(c, name=""))
    assert (await office.agents.agent(office.actor, office.agent)).draft.name == "Docs"
    assert office.audit() == []
