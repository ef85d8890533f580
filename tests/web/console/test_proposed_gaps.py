"""Gaps that are answered since a page or a setting changed: shown with their proof, and closed by it."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import update

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from app.core.turn import GapState
from app.gaps.gaps import Gaps
from app.store.tables.gaps import GAPS
from tests.web.console.browser import Value, an_operator
from tests.web.console.test_gaps import asked_in_vain, gaps_path
from tests.web.house import House


def proposed(house: House, gap: UUID) -> None:
    """Since an answer was written, all its questions are answered."""
    with house.record.writing() as tx:
        tx.connection.execute(update(GAPS).where(GAPS.c.id == gap).values(state=GapState.PROPOSED.value))


@pytest.fixture(autouse=True)
async def answered(house: House) -> None:
    patterns = "malta\ninvoice"
    answer = CuratedAnswer(uuid4(), house.agent.id, Trigger.ANY_OF, patterns, "Yes, we do.")
    await house.parts.get(CuratedAnswers).create(house.actor, answer)


async def test_a_proposed_gap_shows_its_proof_and_one_button_that_closes_it(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?")
    proposed(house, gap)
    browser = await an_operator(house)
    path = f"{gaps_path(house)}/{gap}"
    page = await browser.page(path)
    assert f'hx-post="{path}/replay" hx-trigger="load, submit"' in page
    assert "Page gone" not in page, "what was missing then is missing no more"

    proof = (await browser.post(f"{path}/replay", {"version": "live"})).text
    assert "Before" in proof
    assert proof.count("Close with this proof") == 1
    await browser.post(f"{path}/prove")

    assert (await house.parts.get(Gaps).gap(house.actor, gap)).state is GapState.ANSWERED


async def test_proposed_gaps_are_closed_with_their_proof_from_the_list(house: House) -> None:
    gaps = [await asked_in_vain(house, question) for question in ("Do you ship to Malta?", "Can I pay by invoice?")]
    for gap in gaps:
        proposed(house, gap)
    browser = await an_operator(house)
    shown = await browser.page(f"{gaps_path(house)}?state=proposed")
    assert f'formaction="{gaps_path(house)}/prove"' in shown
    assert "prove" not in await browser.page(gaps_path(house))
    chosen: dict[str, Value] = {"state": "proposed", "gap_ids": [str(gap) for gap in gaps]}

    assert await browser.flash(await browser.post(f"{gaps_path(house)}/prove", chosen)) == "2 gaps closed with proof."

    states = [(await house.parts.get(Gaps).gap(house.actor, gap)).state for gap in gaps]
    assert states == [GapState.ANSWERED] * 2
    refused = await browser.post(f"{gaps_path(house)}/prove", {"state": "proposed"})
    assert "Choose 1 to 10 gaps" in refused.text
