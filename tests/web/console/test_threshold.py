"""The threshold at the console: a curve beside its numbers, and the form that sets it."""

from uuid import uuid4

import pytest

from app.agents.agents import Agents
from app.agents.records import AgentRecords
from app.quality.golden_question import GoldenQuestion
from app.quality.golden_questions import GoldenQuestions
from app.quality.golden_runs import GoldenRuns
from app.web.console.charts import HEIGHT, Line, share_chart
from tests.web.console.browser import an_operator, text_of
from tests.web.console.test_gaps import asked_in_vain, gaps_path
from tests.web.house import House


def path(house: House) -> str:
    return f"/console/agents/{house.agent.id}/threshold"


async def test_the_curve_is_drawn_and_stands_in_a_table_as_well(house: House) -> None:
    await asked_in_vain(house, "Do you ship to Malta?", sure=(0.18, 0.05))
    html = await (await an_operator(house)).page(path(house))
    assert html.count('<div class="chart" role="img" aria-label="Share by threshold') == 1
    assert html.count('<path d="M0.0 10.0 L') == 1
    assert '<th scope="row">15%</th><td class="number">100%</td><td class="number">–</td>' in html
    assert '<th scope="row">20%</th><td class="number">0%</td><td class="number">–</td>' in html
    assert "25% now" in text_of(html)


async def test_with_golden_questions_it_says_how_many_would_go_right(house: House) -> None:
    nowhere = GoldenQuestion(uuid4(), house.agent.id, "Open on Sunday?")
    await house.parts.get(GoldenQuestions).create(house.actor, nowhere)
    await house.parts.get(GoldenRuns).run(house.actor, house.agent.id, ("draft",))
    html = await (await an_operator(house)).page(path(house))
    assert "0 questions of 30 days, and 1 golden question of the latest run" in text_of(html)
    assert html.count('class="line-2"') == 1
    assert '<th scope="row">100%</th><td class="number">–</td><td class="number">100%</td>' in html


async def test_without_questions_there_is_nothing_to_draw(house: House) -> None:
    html = await (await an_operator(house)).page(path(house))
    assert "The curve appears once visitors ask" in html
    assert '<div class="chart"' not in html


async def test_it_is_set_in_the_draft_alone(house: House) -> None:
    browser = await an_operator(house)
    said = await browser.flash(await browser.post(path(house), {"confidence_threshold": "35"}))
    assert said == "Threshold of the draft set to 35%. Publish the draft to apply it."
    agent = await house.parts.get(Agents).agent(house.actor, house.agent.id)
    assert agent.draft.confidence_threshold == 0.35
    with house.record.reading() as tx:
        assert AgentRecords(tx).live(house.agent.id).config.confidence_threshold == 0.25


async def test_coming_from_a_gap_it_offers_what_would_answer_it_and_leads_back(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?", sure=(0.21, 0.05))
    browser = await an_operator(house)
    html = await browser.page(f"{path(house)}?gap={gap}")
    assert "sure enough of this gap at 21% or less" in text_of(html)
    assert 'value="21"' in html
    assert ">this gap</text>" in html
    answer = await browser.post(path(house), {"confidence_threshold": "21", "gap": str(gap)})
    assert answer.headers["location"] == f"{gaps_path(house)}/{gap}"


async def test_too_little_for_any_threshold_is_said_to_be_so(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?", sure=(0.14,))
    text = text_of(await (await an_operator(house)).page(f"{path(house)}?gap={gap}"))
    assert "No threshold of 15% or more would answer this gap" in text


@pytest.mark.parametrize("typed", ["150", "-1", "much", ""])
async def test_what_is_no_share_is_refused_beside_its_field(house: House, typed: str) -> None:
    refused = await (await an_operator(house)).post(path(house), {"confidence_threshold": typed})
    assert refused.status_code == 422
    assert 'id="set_threshold-confidence_threshold-wrong"' in refused.text
    assert (await house.parts.get(Agents).agent(house.actor, house.agent.id)).draft.confidence_threshold == 0.25


async def test_a_gap_of_another_agent_is_an_absent_one(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?")
    other = await house.parts.get(Agents).create(house.actor, house.agent.draft)
    browser = await an_operator(house)
    theirs = f"/console/agents/{other.id}/threshold"
    assert (await browser.get(f"{theirs}?gap={gap}")).status_code == 404
    refused = await browser.post(theirs, {"confidence_threshold": "0.1", "gap": str(gap)})
    assert refused.status_code == 404
    assert (await house.parts.get(Agents).agent(house.actor, other.id)).draft.confidence_threshold == 0.25


def test_words_that_would_not_fit_after_their_mark_stand_before_it() -> None:
    [mark] = share_chart(Line("", [1.0, 0.0]), marks=[(1.0, "now")]).marks
    assert (mark.x, mark.is_before) == (100.0, True)


def test_shares_run_from_corner_to_corner() -> None:
    drawn = share_chart(Line("", [100.0, 50.0, 0.0]), marks=[(0.0, "none"), (0.5, "half")])
    assert drawn.lines[0].paths == (f"M0.0 10.0 L50.0 {10 + (HEIGHT - 34) / 2} L100.0 {HEIGHT - 24:.1f}",)
    assert [(mark.x, mark.words, mark.is_before) for mark in drawn.marks] == [
        (0.0, "none", False),
        (50.0, "half", False),
    ]
    assert len({mark.y for mark in drawn.marks}) == 2
    assert [number for _, number in drawn.grid] == [0, 50, 100]
