"""Golden questions are asked side by side, and a draft that loses some is not published unseen."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.agent_choices import PublishGate
from app.agents.agents import Agents
from app.agents.model_endpoints import NO_NAMES, ChatModelNames
from app.core.actor import READ, WRITE, Actor
from app.core.errors import IndexUnavailable, InvalidInput, NotFound, PublishGateFailed
from app.core.list_page import PageRequest
from app.quality.golden_question import Declined, GoldenQuestion
from app.quality.golden_runs import KEPT, GoldenRuns
from app.quality.publishing import Publishing
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.namesake_searches import NamesakeSearches
from tests.doubles.recording_job_queue import RecordingJobQueue
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent


@dataclass
class Shop:
    record: SystemOfRecord
    clock: FixedClock
    searches: NamesakeSearches
    actor: Actor
    agent: UUID

    @property
    def runs(self) -> GoldenRuns:
        return GoldenRuns(self.record, self.searches, self.clock, ChatModelNames(("large",)))

    @property
    def agents(self) -> Agents:
        return Agents(self.record, RecordingJobQueue(), NO_NAMES)

    @property
    def publishing(self) -> Publishing:
        return Publishing(self.agents, self.runs)

    async def golden(self, *words: str, answered: bool = True) -> None:
        with self.record.writing() as tx:
            for word in words:
                pages = (f"https://www.example.com/{word}",) if answered else ()
                GoldenQuestionRecords(tx).put(GoldenQuestion(uuid4(), self.agent, f"{word}?", pages))
                self.clock.advance(1)

    async def draft(self, **settings: object) -> None:
        await self.agents.change_draft(self.actor, self.agent, lambda draft: replace(draft, **settings))  # type: ignore[arg-type]

    async def live_number(self) -> int | None:
        return (await self.agents.agent(self.actor, self.agent)).live_version


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        agent = new_agent(record)
        actor = Actor(agent.workspace_id, "ann", frozenset((READ, WRITE)))
        yield Shop(record, clock, NamesakeSearches(), actor, agent.id)


async def losing(shop: Shop, gate: PublishGate) -> None:
    """Its draft finds one page more and one page less than the live version."""
    await shop.agents.publish(shop.actor, shop.agent)
    await shop.golden("prices", "refunds", "hours")
    await shop.draft(tone="dry", publish_gate=gate)
    shop.searches.known = {"live": {"prices", "hours"}, "draft": {"prices", "refunds"}}


async def test_a_run_says_what_the_draft_wins_and_loses(shop: Shop) -> None:
    await losing(shop, PublishGate.WARN)
    run = await shop.runs.run(shop.actor, shop.agent)
    assert (run.won, run.lost, run.is_complete) == (("refunds?",), ("hours?",), True)
    assert run.live is not None
    assert run.draft is not None
    assert (run.live.right, run.draft.right) == (2, 2)
    assert run.draft.stages["reranked"]["page_hit@1"] == pytest.approx(2 / 3)
    assert run.draft.declined == {"answerable": Declined(1, 3)}
    assert run.draft.abstained == {"answerable": pytest.approx(1 / 3)}
    assert await shop.runs.golden_run(shop.actor, shop.agent, run.id) == run


async def test_a_question_that_no_page_answers_goes_right_when_it_is_declined(shop: Shop) -> None:
    await shop.golden("weather", answered=False)
    shop.searches.known = {"draft": set()}
    run = await shop.runs.run(shop.actor, shop.agent)
    assert run.draft is not None
    assert (run.draft.right, run.draft.abstained, run.live) == (1, {"to decline": 1.0}, None)


async def test_a_draft_that_loses_the_words_of_an_answer_is_refused(shop: Shop) -> None:
    await shop.agents.publish(shop.actor, shop.agent)
    expecting = GoldenQuestion(uuid4(), shop.agent, "prices hours?", answer_contains=("hours",))
    with shop.record.writing() as tx:
        GoldenQuestionRecords(tx).put(expecting)
    await shop.draft(tone="dry", publish_gate=PublishGate.REFUSE)
    shop.searches.known = {"live": {"prices", "hours"}, "draft": {"prices"}}
    with pytest.raises(PublishGateFailed, match="prices hours"):
        await shop.publishing.publish(shop.actor, shop.agent)
    run = (await shop.runs.page(shop.actor, shop.agent, PageRequest(1))).items[0]
    assert run.draft is not None
    assert [mark.missing for mark in run.draft.marks] == [("hours",)]
    assert run.draft.abstained == {"answerable": 0.0}


async def test_other_words_are_another_comparison(shop: Shop) -> None:
    await losing(shop, PublishGate.WARN)
    first = await shop.runs.compared(shop.actor, shop.agent)
    with shop.record.writing() as tx:
        [golden, *_] = GoldenQuestionRecords(tx).questions(shop.agent)
        GoldenQuestionRecords(tx).save(replace(golden, answer_matches=("price",)))
    again = await shop.runs.compared(shop.actor, shop.agent)
    assert first is not None
    assert again is not None
    assert first.id != again.id


async def test_there_must_be_something_to_ask(shop: Shop) -> None:
    with pytest.raises(InvalidInput, match="no golden question"):
        await shop.runs.run(shop.actor, shop.agent)
    await shop.golden("prices")
    with pytest.raises(InvalidInput, match="not published"):
        await shop.runs.run(shop.actor, shop.agent, ("live",))


async def test_both_versions_are_asked_the_same_questions_when_the_time_is_over(shop: Shop) -> None:
    await shop.agents.publish(shop.actor, shop.agent)
    await shop.golden(*(f"page{number}" for number in range(12)))
    run = await GoldenRuns(shop.record, shop.searches, shop.clock, NO_NAMES, 0).run(shop.actor, shop.agent)
    assert (run.asked, run.questions, run.is_complete) == (10, 12, False)
    asked = {
        version: {question for by, question in shop.searches.asked if by == version} for version in ("live", "draft")
    }
    assert asked["live"] == asked["draft"]


async def test_runs_are_listed_latest_first_and_the_oldest_leave(shop: Shop) -> None:
    await shop.golden("prices")
    for _ in range(KEPT + 2):
        shop.clock.advance(60)
        latest = await shop.runs.run(shop.actor, shop.agent)
    listed = (await shop.runs.page(shop.actor, shop.agent, PageRequest(200))).items
    assert (len(listed), listed[0].id) == (KEPT, latest.id)
    with pytest.raises(NotFound):
        await shop.runs.golden_run(shop.actor, shop.agent, uuid4())


async def test_a_draft_that_loses_is_published_with_a_warning(shop: Shop) -> None:
    await losing(shop, PublishGate.WARN)
    published = await shop.publishing.publish(shop.actor, shop.agent)
    assert published.compared is not None
    assert (published.version.number, published.compared.lost) == (2, ("hours?",))


async def test_a_gate_that_refuses_names_what_would_be_lost_and_can_be_overruled(shop: Shop) -> None:
    await losing(shop, PublishGate.REFUSE)
    with pytest.raises(PublishGateFailed, match=r'"hours\?".*force'):
        await shop.publishing.publish(shop.actor, shop.agent)
    assert await shop.live_number() == 1
    await shop.publishing.publish(shop.actor, shop.agent, force=True)
    assert await shop.live_number() == 2


async def test_nothing_is_asked_twice_while_nothing_has_changed(shop: Shop) -> None:
    await losing(shop, PublishGate.REFUSE)
    await shop.runs.run(shop.actor, shop.agent)
    asked = len(shop.searches.asked)
    with pytest.raises(PublishGateFailed):
        await shop.publishing.publish(shop.actor, shop.agent)
    assert len(shop.searches.asked) == asked
    await shop.draft(tone="warm")
    shop.searches.known["draft"].add("hours")
    assert (await shop.publishing.publish(shop.actor, shop.agent)).version.number == 2
    assert len(shop.searches.asked) == 2 * asked


@pytest.mark.parametrize("gate", [PublishGate.OFF, PublishGate.WARN])
async def test_a_gate_that_does_not_refuse_holds_nothing_up(shop: Shop, gate: PublishGate) -> None:
    await losing(shop, gate)
    shop.searches.is_down = True
    assert (await shop.publishing.publish(shop.actor, shop.agent)).compared is None
    assert (await shop.live_number(), shop.searches.asked) == (2, [])


async def test_a_gate_that_refuses_wants_to_know(shop: Shop) -> None:
    await losing(shop, PublishGate.REFUSE)
    shop.searches.is_down = True
    with pytest.raises(IndexUnavailable):
        await shop.publishing.publish(shop.actor, shop.agent)


async def test_a_first_version_and_an_unchanged_one_lose_nothing(shop: Shop) -> None:
    await shop.golden("prices")
    for _ in range(2):
        published = await shop.publishing.publish(shop.actor, shop.agent)
        assert (published.version.number, published.compared) == (1, None)
    assert shop.searches.asked == []


async def rolling_back(shop: Shop) -> None:
    """From version 2, behind a gate that refuses, to version 1, which had none and finds less."""
    await shop.draft(publish_gate=PublishGate.OFF, tone="dry")
    await shop.agents.publish(shop.actor, shop.agent)
    await shop.draft(publish_gate=PublishGate.REFUSE, tone="warm")
    await shop.agents.publish(shop.actor, shop.agent)
    await shop.golden("prices", "hours")
    shop.searches.known = {"live": {"prices", "hours"}, "draft": {"prices"}}


async def test_an_earlier_version_does_not_pass_the_gate_either(shop: Shop) -> None:
    await rolling_back(shop)
    await shop.draft(tone="half done")
    with pytest.raises(PublishGateFailed, match=r'Version 1 .*"hours\?"'):
        await shop.publishing.roll_back(shop.actor, shop.agent, 1)
    agent = await shop.agents.agent(shop.actor, shop.agent)
    assert (agent.live_version, agent.draft.tone) == (2, "half done"), "nothing has changed"


async def test_an_earlier_version_is_published_as_a_new_one_behind_the_gate_of_today(shop: Shop) -> None:
    await rolling_back(shop)
    published = await shop.publishing.roll_back(shop.actor, shop.agent, 1, force=True)
    assert published.compared is not None
    assert published.compared.lost == ("hours?",)
    agent = await shop.agents.agent(shop.actor, shop.agent)
    assert (agent.live_version, agent.draft.tone, agent.draft.publish_gate) == (3, "dry", PublishGate.REFUSE)


async def test_a_version_that_there_never_was_is_named(shop: Shop) -> None:
    await rolling_back(shop)
    with pytest.raises(InvalidInput) as refused:
        await shop.publishing.roll_back(shop.actor, shop.agent, 7)
    assert refused.value.field == "number"
    with pytest.raises(NotFound):
        await shop.publishing.roll_back(replace(shop.actor, workspace_id=uuid4()), shop.agent, 1)


async def test_a_comparison_holds_until_something_changes(shop: Shop) -> None:
    await losing(shop, PublishGate.WARN)
    assert await shop.runs.comparison(shop.actor, shop.agent) == (3, None)
    run = await shop.runs.run(shop.actor, shop.agent)
    assert await shop.runs.comparison(shop.actor, shop.agent) == (3, run)
    asked = len(shop.searches.asked)
    await shop.draft(tone="warm")
    assert await shop.runs.comparison(shop.actor, shop.agent) == (3, None)
    assert len(shop.searches.asked) == asked
