"""What a run could not ask in its time a worker asks, and the publish gate relies on it."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.agent_choices import PublishGate
from app.agents.model_endpoints import NO_NAMES
from app.agents.records import AgentRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput, NotFound
from app.quality.golden_question import GoldenRun
from app.quality.golden_runs import GIVEN_UP_AFTER, LEASE, SLICE, GoldenRuns, GoldenRunWorker
from app.quality.records.golden_questions import GoldenRunRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.namesake_searches import NamesakeSearches
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent
from tests.quality.test_publishing import Shop

QUESTIONS = 25


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    """Its draft does not find page 20, the live version does."""
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        agent = new_agent(record)
        shop = Shop(
            record, clock, NamesakeSearches(), Actor(agent.workspace_id, "ann", frozenset((READ, WRITE))), agent.id
        )
        await shop.agents.publish(shop.actor, shop.agent)
        await shop.golden(*(f"page{number}" for number in range(QUESTIONS)))
        await shop.draft(tone="dry", publish_gate=PublishGate.REFUSE)
        shop.searches.known["draft"] = {f"page{number}" for number in range(QUESTIONS) if number != 20}
        yield shop


async def a_run(shop: Shop) -> GoldenRun:
    """With time for the first ten questions."""
    return await GoldenRuns(shop.record, shop.searches, shop.clock, NO_NAMES, 0).run(shop.actor, shop.agent)


def rounds(shop: Shop) -> GoldenRunWorker:
    return GoldenRunWorker(shop.record, shop.searches, shop.clock)


async def stored(shop: Shop, run: GoldenRun) -> GoldenRun:
    return await shop.runs.golden_run(shop.actor, shop.agent, run.id)


async def test_a_worker_asks_what_was_left(shop: Shop) -> None:
    run = await a_run(shop)
    assert (run.asked, run.is_running, run.lost) == (10, True, ())
    assert await rounds(shop).go_on() == 1
    over = await stored(shop, run)
    assert (over.asked, over.is_complete, over.is_running) == (QUESTIONS, True, False)
    assert over.lost == ("page20?",)
    assert len(shop.searches.asked) == 2 * QUESTIONS, "no question was asked twice"
    assert (over.asked_by, over.asked_at) == (run.asked_by, run.asked_at)
    assert await rounds(shop).go_on() == 0


async def test_a_run_in_parts_has_the_figures_of_one_at_once(shop: Shop) -> None:
    shop.searches.known["live"] = {f"page{number}" for number in range(3, QUESTIONS)}
    await shop.golden("unanswerable", answered=False)
    run = await a_run(shop)
    await rounds(shop).go_on()
    parts, at_once = await stored(shop, run), await shop.runs.run(shop.actor, shop.agent)
    assert at_once.asked == QUESTIONS + 1
    for part, whole in zip(parts.sides.values(), at_once.sides.values(), strict=True):
        assert part.marks == whole.marks
        assert part.abstained == pytest.approx(whole.abstained)
        for stage, figures in whole.stages.items():
            assert part.stages[stage] == pytest.approx(figures)


async def test_a_run_that_had_time_for_all_goes_on_nowhere(shop: Shop) -> None:
    assert not (await shop.runs.run(shop.actor, shop.agent)).is_running
    assert await rounds(shop).go_on() == 0


async def test_the_gate_relies_on_what_the_worker_found(shop: Shop) -> None:
    run = await a_run(shop)
    await rounds(shop).go_on()
    asked = len(shop.searches.asked)
    compared = await shop.runs.compared(shop.actor, shop.agent)
    assert compared == await stored(shop, run)
    assert len(shop.searches.asked) == asked, "nothing is asked anew"


async def test_how_far_it_is_can_be_seen_on_the_way(shop: Shop) -> None:
    run = await a_run(shop)
    seen = []

    async def look() -> None:
        so_far = await stored(shop, run)
        seen.append((so_far.asked, so_far.is_running))

    shop.searches.on_search = look
    await rounds(shop).go_on()
    assert sorted(set(seen)) == [(10, True), (20, True)]


async def test_another_worker_leaves_a_run_alone_until_the_first_has_died(shop: Shop) -> None:
    run = await a_run(shop)
    now = shop.clock.now()
    with shop.record.writing() as tx:
        assert GoldenRunRecords(tx).take(now, now + LEASE) is not None  # and dies
    assert await rounds(shop).go_on() == 0
    shop.clock.advance(LEASE.total_seconds())
    assert await rounds(shop).go_on() == 1
    assert (await stored(shop, run)).is_complete


async def test_what_a_lost_worker_asked_is_not_asked_again(shop: Shop) -> None:
    run = await shop.runs.run_models(shop.actor, shop.agent, ("usual", "none"))

    async def dies() -> None:
        if len(shop.searches.asked) == 20:
            raise RuntimeError("killed")

    shop.searches.on_search = dies
    with pytest.raises(RuntimeError):
        await rounds(shop).go_on()
    so_far = (await stored(shop, run)).asked
    assert 0 < so_far < QUESTIONS
    shop.searches.asked.clear()
    shop.searches.on_search = None
    shop.clock.advance(LEASE.total_seconds())
    await rounds(shop).go_on()
    assert (await stored(shop, run)).is_complete
    assert len(shop.searches.asked) == 2 * (QUESTIONS - so_far)


async def test_a_long_run_lets_others_go_on(shop: Shop) -> None:
    async def a_while() -> None:
        shop.clock.advance(SLICE.total_seconds() / 4)

    shop.searches.on_search = a_while
    long = await shop.runs.run_models(shop.actor, shop.agent, ("usual", "none"))
    shop.clock.advance(1)
    other = await a_run(shop)
    await rounds(shop).go_on()
    first_slice = await stored(shop, long)
    assert (0 < first_slice.asked < QUESTIONS, first_slice.is_running) == (True, True)
    await rounds(shop).go_on()
    assert (await stored(shop, other)).asked > other.asked
    ended = []
    while await rounds(shop).go_on():
        ended += [run.id for run in (long, other) if not (await stored(shop, run)).is_running and run.id not in ended]
    assert ended == [other.id, long.id]
    assert len(shop.searches.asked) == 4 * QUESTIONS, "no question was asked twice"


async def test_models_go_on_where_they_were_although_a_page_has_changed(shop: Shop) -> None:
    run = await shop.runs.run_models(shop.actor, shop.agent, ("usual", "none"))

    async def dies() -> None:
        if len(shop.searches.asked) == 20:
            raise RuntimeError("killed")

    shop.searches.on_search = dies
    with pytest.raises(RuntimeError):
        await rounds(shop).go_on()
    so_far = (await stored(shop, run)).asked
    with shop.record.writing() as tx:
        AgentRecords(tx).bump_generation(shop.agent)
    shop.searches.asked.clear()
    shop.searches.on_search = None
    shop.clock.advance(LEASE.total_seconds())
    await rounds(shop).go_on()
    over = await stored(shop, run)
    assert (over.is_complete, over.fingerprint) == (True, "")
    assert len(shop.searches.asked) == 2 * (QUESTIONS - so_far)


@pytest.mark.parametrize("change", ["settings", "questions"])
async def test_a_run_of_what_is_no_more_stays_as_it_is(shop: Shop, change: str) -> None:
    run = await a_run(shop)
    if change == "settings":
        await shop.draft(tone="warm")
    else:
        await shop.golden("another")
    await rounds(shop).go_on()
    assert await stored(shop, run) == replace(run, goes_on_at=None)


async def learn_something(shop: Shop) -> None:
    await shop.record.write(lambda tx: AgentRecords(tx).bump_generation(shop.agent))


async def test_what_was_learnt_since_counts(shop: Shop) -> None:
    run = await a_run(shop)
    await learn_something(shop)
    await rounds(shop).go_on()
    over = await stored(shop, run)
    assert (over.is_complete, over.generation) == (True, run.generation + 1)
    assert await shop.runs.compared(shop.actor, shop.agent) == over


async def test_the_gate_does_not_rely_on_a_run_while_which_something_was_learnt(shop: Shop) -> None:
    run = await a_run(shop)
    shop.searches.on_search = lambda: learn_something(shop)
    await rounds(shop).go_on()
    assert (await stored(shop, run)).is_complete
    compared = await shop.runs.compared(shop.actor, shop.agent)
    assert compared is not None
    assert compared.id != run.id


async def test_while_search_is_down_it_waits_but_not_for_ever(shop: Shop) -> None:
    run = await a_run(shop)
    shop.searches.is_down = True
    assert await rounds(shop).go_on() == 1
    assert (await stored(shop, run)).is_running
    assert await rounds(shop).go_on() == 0, "not at once again"
    shop.clock.advance((GIVEN_UP_AFTER + timedelta(minutes=1)).total_seconds())
    assert await rounds(shop).go_on() == 1
    assert await stored(shop, run) == replace(run, goes_on_at=None)


async def test_a_run_that_meets_an_error_of_our_own_is_not_asked_for_ever(shop: Shop) -> None:
    run = await a_run(shop)

    async def stumble() -> None:
        raise ZeroDivisionError

    shop.searches.on_search = stumble
    for waited, is_running in ((0.0, True), ((GIVEN_UP_AFTER + timedelta(minutes=1)).total_seconds(), False)):
        shop.clock.advance(waited)
        with pytest.raises(ZeroDivisionError):
            await rounds(shop).go_on()
        assert (await stored(shop, run)).is_running is is_running
    shop.clock.advance(LEASE.total_seconds())
    assert await rounds(shop).go_on() == 0


async def test_a_run_that_has_left_is_asked_no_more(shop: Shop) -> None:
    run = await a_run(shop)

    async def forget() -> None:
        await shop.record.write(
            lambda tx: GoldenRunRecords(tx).add(
                replace(run, id=uuid4(), goes_on_at=None, asked_at=shop.clock.now()), keep=1
            )
        )

    shop.clock.advance(1)
    shop.searches.on_search = forget
    before = len(shop.searches.asked)
    await rounds(shop).go_on()
    assert len(shop.searches.asked) == before + 20, "ten of both versions, then it was noticed"
    with pytest.raises(NotFound):
        await stored(shop, run)


async def test_a_worker_asks_the_draft_with_each_model(shop: Shop) -> None:
    shop.searches.known["none"] = {f"page{number}" for number in range(5)}
    run = await shop.runs.run_models(shop.actor, shop.agent, ("usual", "large", "none", "large"))
    assert (run.asked, run.is_running, shop.searches.asked) == (0, True, [])
    await rounds(shop).go_on()
    over = await stored(shop, run)
    assert (over.is_complete, over.is_running, over.live, over.draft) == (True, False, None, None)
    told = [(side.model, side.right, side.withheld, side.tokens, side.first_ms, side.ms) for side in over.models]
    assert told == [
        ("usual", QUESTIONS, 0, 5 * QUESTIONS, 300, 900),
        ("large", QUESTIONS, 0, 5 * QUESTIONS, 300, 900),
        ("none", 5, QUESTIONS - 5, 4 * QUESTIONS, 300, 900),
    ]
    assert {version for version, _ in shop.searches.asked} == {"draft"}
    assert await shop.runs.compared(shop.actor, shop.agent) != over, "the gate compares versions"


async def test_only_models_that_there_are_can_be_tried(shop: Shop) -> None:
    for models in (("huge",), ()):
        with pytest.raises(InvalidInput, match="usual, large, none") as refused:
            await shop.runs.run_models(shop.actor, shop.agent, models)
        assert refused.value.field == "models"


async def test_a_model_judges_only_where_there_is_one_and_the_result_says_so(shop: Shop) -> None:
    with pytest.raises(InvalidInput) as refused:
        await shop.runs.run_models(shop.actor, shop.agent, ("usual",), "model")
    assert refused.value.field == "judge"
    shop.searches.has_judge = True
    judged = await shop.runs.run_models(shop.actor, shop.agent, ("usual",), "model")
    by_words = await shop.runs.run_models(shop.actor, shop.agent, ("usual",))
    assert judged.fingerprint != by_words.fingerprint
    while await rounds(shop).go_on():
        pass
    for run, judge in ((judged, "model"), (by_words, "words")):
        [side] = (await stored(shop, run)).models
        assert (side.judge, {mark.judged_by for mark in side.marks}) == (judge, {judge})
