"""The rule measured on the demonstration website: questions are asked, a price changes on one page, and the
list is compared with what the stored answers say."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.list_page import PageRequest
from app.kit.pattern_matcher import PatternMatcher
from app.stale_answers.records import StaleAnswerRecords
from app.stale_answers.stale_answer import StaleFilter, StaleKind
from app.stale_answers.stale_search import StaleSearch
from crawler.extract.extraction import extract_page
from tests.doubles.answering_house import SITE, AnsweringHouse, answering_house

ROOT = Path(__file__).resolve().parents[2]
PATHS = ("/products/accessories/", "/products/one-wind/", "/products/one/", "/warranty/")
CHANGED = "/products/one-wind/"
OLD_PRICE, NEW_PRICE = "€279", "€299"
ASKED = (
    "What does the One Wind cost including VAT?",
    "What is the price of the Nimbrel One Wind?",
    "How fast does the One Wind measure wind?",
    "What is measured by the wind head of the One Wind?",
    "What does the Soil probe cost?",
    "How long is the warranty on a station?",
    "How much is the pole kit?",
)


def page(path: str) -> str:
    """Its Markdown, as a crawl reads it."""
    file = ROOT / "app" / "demo_site" / path.strip("/") / "index.html"
    read = extract_page(file.read_bytes(), f"{SITE}{path}", "utf-8")
    return f"# {read.title}\n\n{read.markdown}"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[AnsweringHouse]:
    async with answering_house(tmp_path) as opened:
        for path in PATHS:
            await opened.learn(path, page(path))
        yield opened


async def test_exactly_the_answers_that_told_the_old_price_are_listed(house: AnsweringHouse) -> None:
    for question in ASKED:
        await house.ask(question)
    ids = [request.turn_id for request in house.sent]
    turns = await house.record.read(lambda tx: [StoredTurnRecords(tx).find(turn_id) for turn_id in ids])
    from_page = {
        turn.id: [cited.quote or "" for cited in turn.citations if cited.url.startswith(f"{SITE}{CHANGED}")]
        for turn in turns
        if turn is not None
    }
    told_old = {turn_id for turn_id, quotes in from_page.items() if OLD_PRICE in "\n".join(quotes)}
    told_other = {turn_id for turn_id, quotes in from_page.items() if quotes} - told_old
    assert told_old
    assert told_other  # the page was quoted for something else as well

    await house.learn(CHANGED, page(CHANGED).replace(OLD_PRICE, NEW_PRICE))
    assert await StaleSearch(house.record, house.answering.playground, PatternMatcher(), house.clock).look() == 1

    listed = await house.record.read(
        lambda tx: [
            (stale, {telling.turn_id for telling in StaleAnswerRecords(tx).latest_turns(stale.id, 100)})
            for stale in StaleAnswerRecords(tx).page(house.agent_id, StaleFilter(), PageRequest()).items
        ]
    )
    assert set().union(*(tellings for _, tellings in listed)) == told_old
    for stale, _ in listed:
        assert stale.kind is StaleKind.CONTRADICTED
        assert OLD_PRICE in stale.old_words
        assert NEW_PRICE in stale.new_words
