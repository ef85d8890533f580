"""A page changes: exactly those answers are listed that told what it said before."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.records import AgentRecords
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from app.answers.curated.records import CuratedAnswerRecords
from app.conversations.privacy.records import VisitorRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.turn_events import Done
from app.kit.pattern_matcher import PatternMatcher
from app.quality.golden_question import GoldenQuestion
from app.quality.golden_questions import GoldenQuestions
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import RunState
from app.stale_answers.stale_answer import StaleAnswer, StaleFilter, StaleKind, StaleState, StaleSubject
from app.stale_answers.stale_answers import StaleAnswers, new_numbers
from app.stale_answers.stale_search import StaleSearch
from tests.doubles.answering_house import PAGES, SITE, AnsweringHouse, answering_house

SHIPPING = "How much are the shipping costs for a lamp?"
WRAPPING = "What are the costs of wrapping a gift?"
GIFTS = "# Gifts\n\nWrapping costs 9 euros for each gift. The costs of wrapping a gift are the same in Norway."
WARRANTY = "How many years of warranty has every lamp?"
DEARER = PAGES["/shipping"].replace("9 euros", "12 euros")


@dataclass
class Radar:
    house: AnsweringHouse
    search: StaleSearch
    stale: StaleAnswers
    operator: Actor

    async def ask(self, message: str) -> None:
        self.house.clock.advance(1)
        [*_, done] = await self.house.ask(message)
        assert isinstance(done, Done)
        assert not done.low_confidence

    async def look(self) -> list[StaleAnswer]:
        """Until nothing waits; return what is open."""
        while await self.search.look():
            pass
        return await self.listed(StaleFilter())

    async def listed(self, only: StaleFilter) -> list[StaleAnswer]:
        page = await self.stale.stale_answers(self.operator, self.house.agent_id, only, PageRequest())
        return list(page.items)

    async def write(self, answer: str, pattern: str = "shipping costs") -> CuratedAnswer:
        curated = CuratedAnswer(uuid4(), self.house.agent_id, Trigger.PHRASE, pattern, answer)
        return await self.house.record.write(lambda tx: CuratedAnswerRecords(tx).create(curated))

    async def expect(self, *texts: str, patterns: tuple[str, ...] = ()) -> GoldenQuestion:
        golden = GoldenQuestion(
            uuid4(),
            self.house.agent_id,
            SHIPPING,
            (f"{SITE}/shipping",),
            answer_contains=texts,
            answer_matches=patterns,
        )
        return await self.house.record.write(lambda tx: GoldenQuestionRecords(tx).put(golden))

    async def another_visitor(self) -> None:
        live = await self.house.record.read(lambda tx: AgentRecords(tx).live(self.house.agent_id))
        self.house.session = (await self.house.conversations.open(live, None)).session


@pytest.fixture
async def radar(tmp_path: Path) -> AsyncIterator[Radar]:
    async with answering_house(tmp_path) as house:
        patterns = PatternMatcher()
        yield Radar(
            house,
            StaleSearch(house.record, house.answering.playground, patterns, house.clock),
            StaleAnswers(house.record, GoldenQuestions(house.record, patterns), CuratedAnswers(house.record, patterns)),
            Actor(house.workspace_id, "ann", frozenset((READ, WRITE))),
        )


async def test_a_changed_price_lists_the_answers_that_told_the_old_one_and_no_others(radar: Radar) -> None:
    await radar.house.learn("/gifts", GIFTS)
    for question in (SHIPPING, WARRANTY, WRAPPING):
        await radar.ask(question)
    await radar.another_visitor()
    await radar.ask(SHIPPING)
    await radar.house.learn("/shipping", DEARER)

    [stale] = await radar.look()
    assert (stale.subject, stale.kind, stale.url) == (StaleSubject.ANSWER, StaleKind.CONTRADICTED, f"{SITE}/shipping")
    assert "9 euros" in stale.old_words
    assert "12 euros" in stale.new_words
    assert (stale.question, stale.turns, stale.conversations, stale.visitors) == (SHIPPING, 2, 2, 2)
    assert "9 euros" in stale.old_answer
    assert "12 euros" in str(stale.new_answer)


async def test_a_page_that_says_the_same_makes_nothing_stale(radar: Radar) -> None:
    await radar.ask(SHIPPING)
    await radar.house.learn("/shipping", f"{PAGES['/shipping']}\n\nWe ship on Sundays as well.")
    assert await radar.look() == []


async def test_a_visitor_is_charged_nothing_for_it(radar: Radar) -> None:
    await radar.ask(SHIPPING)
    before = await radar.house.record.read(lambda tx: CuratedAnswerRecords(tx).answers(radar.house.agent_id))
    sent = len(radar.house.sent)
    await radar.house.learn("/shipping", DEARER)
    await radar.look()
    after = await radar.house.record.read(lambda tx: CuratedAnswerRecords(tx).answers(radar.house.agent_id))
    export = await radar.house.record.read(
        lambda tx: VisitorRecords(tx).everything(radar.house.workspace_id, radar.house.session.visitor_id)
    )
    assert (before, sent, len(export.conversations[0].turns)) == (after, 1, 1)


async def test_words_that_moved_to_another_page_are_not_stale(radar: Radar) -> None:
    await radar.ask(SHIPPING)
    await radar.house.learn("/postage", PAGES["/shipping"].replace("# Shipping", "# Postage"))
    await radar.house.learn("/shipping", "# Shipping\n\nSee what postage is.")
    assert await radar.look() == []


async def test_a_page_that_is_gone_leaves_what_it_told_behind(radar: Radar) -> None:
    await radar.ask(WARRANTY)
    await radar.house.learn("/warranty", "#")  # without text it is taken out
    [stale] = await radar.look()
    assert (stale.kind, stale.new_words) == (StaleKind.GONE, "")


async def test_a_curated_answer_is_stale_by_what_the_page_proved(radar: Radar) -> None:
    right = await radar.write("Sending a lamp costs 9 euros. We like lamps.")
    await radar.write("The warranty of a lamp is 3 years.", "warranty")
    await radar.write(f"It costs 9 euros, see [returns]({SITE}/returns).", "see returns")
    await radar.house.learn("/shipping", DEARER)
    [stale] = await radar.look()
    assert (stale.subject, stale.curated_answer_id) == (StaleSubject.CURATED, right.id)
    assert stale.old_words == "Sending a lamp costs 9 euros."
    assert "12 euros" in stale.new_words
    assert "12 euros" in str(stale.new_answer)  # what the pages say without it

    await radar.stale.rewrite(radar.operator, radar.house.agent_id, stale.id, "Sending a lamp costs 12 euros.")
    assert await radar.listed(StaleFilter()) == []
    rewritten = await radar.house.record.read(
        lambda tx: CuratedAnswerRecords(tx).answer(radar.house.agent_id, right.id)
    )
    assert rewritten.answer == "Sending a lamp costs 12 euros."


async def test_a_golden_question_is_stale_by_what_its_answer_must_hold(radar: Radar) -> None:
    golden = await radar.expect("9 euros", "lamp", patterns=(r"\b9 eur",))
    await radar.house.learn("/shipping", DEARER)
    [stale] = await radar.look()
    assert (stale.subject, stale.golden_question_id) == (StaleSubject.GOLDEN, golden.id)
    assert stale.old_words == "9 euros\n\\b9 eur"
    assert new_numbers(stale) == ["12"]

    await radar.stale.accept(radar.operator, radar.house.agent_id, stale.id, ["12 euros"])
    kept = await radar.house.record.read(lambda tx: GoldenQuestionRecords(tx).question(radar.house.agent_id, golden.id))
    assert (kept.answer_contains, kept.answer_matches) == (("lamp", "12 euros"), ())
    assert [one.id for one in await radar.listed(StaleFilter(StaleState.SETTLED))] == [stale.id]


async def test_a_new_answer_becomes_a_golden_question(radar: Radar) -> None:
    await radar.ask(SHIPPING)
    await radar.house.learn("/shipping", DEARER)
    [stale] = await radar.look()
    golden = await radar.stale.accept(radar.operator, radar.house.agent_id, stale.id, ["12 euros"])
    assert (golden.question, golden.pages, golden.answer_contains) == (SHIPPING, (f"{SITE}/shipping",), ("12 euros",))
    assert await radar.listed(StaleFilter()) == []


async def test_old_words_that_stand_again_are_settled_and_may_be_lost_again(radar: Radar) -> None:
    await radar.ask(SHIPPING)
    await radar.house.learn("/shipping", DEARER)
    [stale] = await radar.look()
    await radar.house.learn("/shipping", PAGES["/shipping"])
    assert await radar.look() == []
    await radar.house.learn("/shipping", DEARER)
    assert [one.id for one in await radar.look()] == [stale.id]


async def test_what_was_dismissed_is_not_listed_again(radar: Radar) -> None:
    await radar.ask(SHIPPING)
    await radar.house.learn("/shipping", DEARER)
    [stale] = await radar.look()
    await radar.stale.set_state(radar.operator, radar.house.agent_id, [stale.id], StaleState.DISMISSED)
    await radar.house.learn("/shipping", DEARER.replace("12", "14"))
    assert await radar.look() == []


async def test_pages_wait_for_the_end_of_a_reading(radar: Radar) -> None:
    record, source = radar.house.record, radar.house.source_id
    await radar.ask(SHIPPING)
    run = await record.write(lambda tx: CrawlRunRecords(tx).start_run(radar.house.agent_id, source))
    await radar.house.learn("/shipping", DEARER)
    assert await radar.look() == []
    await record.write(lambda tx: CrawlRunRecords(tx).set_run_state(run.id, RunState.CANCELLED))
    assert len(await radar.look()) == 1


async def test_an_erased_visitor_leaves_no_trace_in_it(radar: Radar) -> None:
    first, workspace = radar.house.session.visitor_id, radar.house.workspace_id
    await radar.ask(SHIPPING)
    await radar.another_visitor()
    second = radar.house.session.visitor_id
    await radar.ask(SHIPPING)
    await radar.house.learn("/shipping", DEARER)
    assert [stale.visitors for stale in await radar.look()] == [2]

    erased = await radar.house.record.write(lambda tx: VisitorRecords(tx).erase(workspace, second))
    assert (erased.rows["stale_answers"], erased.rows["stale_tellings"]) == (0, 1)
    [left] = await radar.listed(StaleFilter())
    assert (left.visitors, left.new_answer) == (1, None)  # the second was asked again, and their new answer is gone

    erased = await radar.house.record.write(lambda tx: VisitorRecords(tx).erase(workspace, first))
    assert (erased.rows["stale_answers"], erased.rows["stale_tellings"]) == (1, 1)
    assert await radar.listed(StaleFilter(state=None)) == []


async def test_a_stranger_sees_none_of_it(radar: Radar) -> None:
    await radar.ask(SHIPPING)
    await radar.house.learn("/shipping", DEARER)
    [stale] = await radar.look()
    stranger = replace(radar.operator, workspace_id=uuid4())
    with pytest.raises(NotFound):
        await radar.stale.stale_answer(stranger, radar.house.agent_id, stale.id)
