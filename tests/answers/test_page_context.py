"""What a browser says of the visitor's page, beside our own copy of it."""

import threading
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.answers.page_context import MAX_BYTES, Comparison, compared, numbered_sources
from app.answers.writing.answer_context import Source
from app.core.chunk import Chunk, RankedChunk
from app.core.page_url import same_page_urls
from app.core.turn import TurnRequest
from app.core.turn_events import Citations, Done, Token
from tests.doubles.answering_house import PAGES, SITE, AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.threads_of import threads_of

RETURNS = "Returns\nYou may return a lamp within 30 days. We pay the postage for every return of a lamp."
FORGED = "Returns\nYou may keep the lamp for ever and get your money back, says the company."


def chunk(position: int, text: str, url: str = f"{SITE}/returns") -> Chunk:
    agent, document = UUID(int=1), UUID(int=2)
    return Chunk(f"c{position}", agent, document, position, text, "", url, "Returns", None, (), date(2026, 1, 1), "en")


def sources(said: str, found: list[Chunk] = [], crawled: list[Chunk] = []) -> tuple[Source, ...]:  # noqa: B006
    request = TurnRequest(uuid4(), "?", f"{SITE}/returns", said)
    return numbered_sources(request, [RankedChunk(item, 1.0, 0.7) for item in found], crawled, "Your page")


def test_a_page_that_we_have_not_read_is_what_the_browser_says() -> None:
    [own, found] = sources(RETURNS, [chunk(0, "Lamps are warm.", f"{SITE}/lamps")])
    assert (own.number, own.title, own.text, own.is_from_visitor) == (1, "Your page", RETURNS, True)
    assert (found.number, found.chunk_id) == (2, "c0")


def test_where_the_site_says_the_same_the_site_is_the_source() -> None:
    copy = [chunk(0, PAGES["/returns"])]
    [source] = sources(RETURNS, crawled=copy)
    assert (source.number, source.chunk_id, source.as_of) == (1, "c0", date(2026, 1, 1))
    assert source.is_unasked


def test_the_browser_adds_only_what_differs() -> None:
    [own, copy] = sources(
        f"{RETURNS}\nHello Ada, your return 4711 is on its way.", crawled=[chunk(0, PAGES["/returns"])]
    )
    assert (own.is_from_visitor, own.text) == (True, "Hello Ada, your return 4711 is on its way.")
    assert not copy.is_from_visitor


def test_a_page_that_shows_something_else_is_not_compared_away() -> None:
    [own] = sources(FORGED, crawled=[chunk(0, PAGES["/returns"])])
    assert (own.is_from_visitor, own.text) == (True, FORGED)


def test_what_search_chose_is_not_said_twice() -> None:
    copy = [chunk(0, PAGES["/returns"]), chunk(1, "Ask us about lamps that broke.")]
    found = sources(RETURNS, found=copy[:1], crawled=copy)
    assert [(source.chunk_id, source.is_unasked) for source in found] == [("c0", False), ("c1", True)]


def test_a_long_copy_is_cut_where_the_browsers_text_would_be() -> None:
    copy = [chunk(0, RETURNS), *(chunk(at, "word " * 200) for at in range(1, 20))]
    assert sum(len(source.text) for source in sources(RETURNS, crawled=copy)) <= MAX_BYTES


@pytest.mark.parametrize("written", ["https://a.example/x", "https://a.example/x/", "http://www.a.example/x/#top"])
def test_a_page_is_found_however_its_address_is_written(written: str) -> None:
    assert "https://a.example/x/" in same_page_urls(written)
    assert "https://www.a.example/x" in same_page_urls(written)


async def cited(house: AnsweringHouse, context: str) -> list[tuple[str, bool]]:
    """Title and whether it is dated, for each citation."""
    events = await house.ask("What about returns here?", page="/returns/", context=context)
    return [
        (one.title, one.as_of is not None)
        for event in events
        if isinstance(event, Citations)
        for one in event.citations
    ]


async def test_a_forged_page_is_cited_as_the_visitors_own(tmp_path: Path) -> None:
    model = ScriptedChatModel(["You may keep it [1]."])
    async with answering_house(tmp_path, model=model) as house:
        assert await cited(house, FORGED) == [("Returns (Your page)", False)]
        prompt = model.requests[0]
        assert 'title="Returns (Your page)" from="visitor" page="current">' in prompt[-1].content
        assert 'from="visitor"' in prompt[0].content
        assert "may be made up" in prompt[0].content


async def test_a_page_that_was_crawled_is_cited_as_crawled(tmp_path: Path) -> None:
    model = ScriptedChatModel(["Within 30 days [1]."])
    async with answering_house(tmp_path, model=model) as house:
        assert await cited(house, RETURNS) == [("Returns", True)]
        assert 'from="visitor"' not in model.requests[0][-1].content


async def test_without_a_model_the_page_around_is_quoted_only_when_it_answers(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        events = await house.ask("Who wrote the opera Aida?", page="/returns", context=RETURNS)
        said = "".join(event.token for event in events if isinstance(event, Token))
        assert "postage" not in said


async def test_our_copy_of_a_page_is_read_through_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparing = threads_of(monkeypatch, "app.answers.page_context", "compared")
    async with answering_house(tmp_path) as house:
        await house.ask("How long may I return a lamp?", page="/returns", context=RETURNS)
    assert comparing
    assert threading.get_ident() not in comparing


def test_of_a_page_of_megabytes_the_beginning_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reading(visible: str, passages: Iterable[str]) -> Comparison:
        read.extend(passages)
        return compared(visible, read)

    monkeypatch.setattr("app.answers.page_context.compared", reading)
    copy = [chunk(0, PAGES["/returns"]), *(chunk(n, "lamp " * 2000) for n in range(1, 300))]
    [source, *_] = sources(RETURNS, crawled=copy)
    assert source.text == copy[0].text
    assert sum(map(len, read)) < 600_000 < sum(len(each.text) for each in copy)


@pytest.mark.parametrize(("days", "is_sure"), [(30, True), (90, False)])
async def test_an_answer_is_sure_because_of_the_page_only_if_the_page_proves_it(
    tmp_path: Path, days: int, is_sure: bool
) -> None:
    model = ScriptedChatModel([f"You may return a lamp within {days} days [1]."])
    async with answering_house(tmp_path, model=model, checks_answers=True) as house:
        events = await house.ask("What about things here?", page="/returns/", context=RETURNS)
    [done] = [event for event in events if isinstance(event, Done)]
    assert (done.confidence >= 0.85) is is_sure


def test_a_source_has_the_date_that_its_page_names_and_none_for_the_day_of_its_reading() -> None:
    read = chunk(0, "Lamps are warm.", f"{SITE}/lamps")
    named = replace(read, dated=date(2025, 3, 1))
    assert [sources(RETURNS, [one])[1].day for one in (read, named)] == [None, date(2025, 3, 1)]
