"""Every change leaves a row that says who did what, in the same transaction; reading leaves none."""

from dataclasses import replace
from uuid import UUID

import pytest

from app.core.errors import InvalidInput
from tests.office.acts import CHANGES, READS
from tests.office.office import Office


@pytest.mark.parametrize("action", CHANGES)
async def test_a_change_is_audited(action: str, office: Office) -> None:
    before = office.audit()
    await CHANGES[action](office)
    new = office.audit()[len(before) :]
    assert [(actor, what) for actor, what, _ in new] == [("ann", action)]
    assert str(UUID(new[0][2])) == new[0][2]


# What they change is no row of their subject (a run, a file, a document, an access, a proposal), or nothing here: there
# is no hook to remove, and the turn was a gap before.
ELSEWHERE = {
    *("source.sync", "source.sync_pages", "source.pause", "source.resume", "source.cancel", "source.replace_file"),
    *(
        "source.give_documents",
        "source.remove_hook",
        "source.unschedule",
        "agent.remove_user_secret",
        "gap.reopen",
        "gap.flag",
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
async def test_its_row_holds_a_hash_of_the_subject_before_and_after(action: str, office: Office) -> None:
    await CHANGES[action](office)
    before, after = office.last_hashes()
    assert (before is None) == (action in UNTOLD or action.endswith(ADDING))
    assert (after is None) == (action in UNTOLD or action.endswith(REMOVING))
    assert (before == after) == (action in UNTOLD | ELSEWHERE)


@pytest.mark.parametrize("name", READS)
async def test_reading_is_not(name: str, office: Office) -> None:
    await READS[name](office)
    assert office.audit() == []


async def test_a_refused_change_leaves_nothing(office: Office) -> None:
    with pytest.raises(InvalidInput):
        await office.agents.change_draft(office.actor, office.agent, lambda c: replace(c, name=""))
    assert (await office.agents.get(office.actor, office.agent)).draft.name == "Docs"
    assert office.audit() == []
