"""An answer to a gap is drafted on demand and saved by nobody."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import PageRequest
from app.core.turn import GapReason
from app.gaps.gap_suggestions import GapSuggestions
from app.gaps.records.gaps import GapRecords
from app.gaps.records.triage import GapTriageRecords
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.scripted_drafts import DRAFTED, ScriptedDrafts
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of_new_agent
from tests.store.sample_rows import ask


@dataclass
class Office:
    record: SystemOfRecord
    actor: Actor
    gap: UUID
    drafts: ScriptedDrafts

    @property
    def suggestions(self) -> GapSuggestions:
        return GapSuggestions(self.record, self.drafts)


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    """With a gap that was asked for in two wordings, the second as a follow-up."""
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        session = await visitor_of_new_agent(record)
        low = GapReason.LOW_CONFIDENCE
        await ask(record, session, "Can ann@example.com have a lamp sent to Malta?", gap=low, language="en")
        clock.advance(60)
        trace = {"standalone": "Do you send lamps to Malta?"}
        await ask(record, session, "And to Malta?", gap=low, language="de", trace=trace)
        with record.writing() as tx:
            second, first = GapRecords(tx).page(session.agent_id, None, PageRequest()).items
            GapTriageRecords(tx).merge(session.agent_id, first.id, [second.id])
        yield Office(record, Actor(session.workspace_id, "ann", frozenset((READ, WRITE))), first.id, ScriptedDrafts())


async def test_it_is_drafted_from_what_its_wordings_look_for_latest_first_and_masked(office: Office) -> None:
    assert await office.suggestions.suggest(office.actor, office.gap) == DRAFTED
    wordings = ("Do you send lamps to Malta?", "Can [email] have a lamp sent to Malta?")
    assert office.drafts.asked == [(wordings, "https://docs.example/install", "de")]


async def test_without_a_chat_model_it_says_what_to_set(office: Office) -> None:
    without = GapSuggestions(office.record, None)
    assert (without.can_draft, office.suggestions.can_draft) == (False, True)
    with pytest.raises(InvalidInput, match="DOCENT_MODEL_URL and DOCENT_MODEL_NAME"):
        await without.suggest(office.actor, office.gap)


async def test_a_foreign_gap_is_an_absent_one_and_costs_nothing(office: Office) -> None:
    for actor, gap in ((replace(office.actor, workspace_id=uuid4()), office.gap), (office.actor, uuid4())):
        with pytest.raises(NotFound):
            await office.suggestions.suggest(actor, gap)
    assert office.drafts.asked == []
