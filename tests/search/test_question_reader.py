"""In which words a question is read."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.turn_events import Citations, Done
from app.search.retrieval import SearchQuery
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.german_gloss import german_gloss

GERMAN = "Wie lange gilt die Garantie einer Lampe?"


@pytest.fixture
async def english_site(tmp_path: Path) -> AsyncIterator[AnsweringHouse]:
    async with answering_house(tmp_path) as house:
        house.embedder.glosser = german_gloss
        yield house


async def test_a_question_in_another_language_is_read_word_for_word_in_that_of_the_pages(
    english_site: AnsweringHouse,
) -> None:
    agent = await english_site.live_agent()
    german = await english_site.retriever.retrieve(agent, SearchQuery(GERMAN, asked_in="de"))

    assert (german.question, german.read_as, german.read_in) == (
        GERMAN,
        "how long is valid the warranty of a lamp",
        "en",
    )
    english = await english_site.retriever.retrieve(agent, SearchQuery(german.read_as, asked_in="en"))
    read, asked = ([(item.chunk, item.calibrated) for item in found.sources] for found in (german, english))
    assert read == asked != []
    assert [stage["said_in"] for stage in german.trace["stages"] if stage["stage"] == "gloss"] == ["de"]


async def test_its_answer_is_that_of_the_words_it_is_read_as(english_site: AnsweringHouse) -> None:
    async def answered(question: str) -> tuple[list[str], float]:
        events = await english_site.ask(question)
        [done] = [event for event in events if isinstance(event, Done)]
        cited = [each.url for event in events if isinstance(event, Citations) for each in event.citations]
        return cited, done.confidence

    german, english = await answered(GERMAN), await answered("how long is valid the warranty of a lamp")

    assert german[0] == english[0] == ["https://lamps.example/warranty"]
    # Surer, because nobody asks whether a passage misses a word of a gloss: the gloss may be at fault.
    assert german[1] > english[1]


async def test_the_second_visitor_s_cached_search_reads_it_the_same_way(english_site: AnsweringHouse) -> None:
    first = [event for event in await english_site.ask(GERMAN) if isinstance(event, Citations)]
    assert [event for event in await english_site.ask(GERMAN) if isinstance(event, Citations)] == first


async def test_a_site_with_pages_in_its_language_is_asked_in_its_own_words(english_site: AnsweringHouse) -> None:
    await english_site.learn("/garantie", "# Garantie\n\nDie Garantie einer Lampe gilt drei Jahre.", language="de")
    found = await english_site.retriever.retrieve(await english_site.live_agent(), SearchQuery(GERMAN, asked_in="de"))
    assert (found.question, found.read_as, found.read_in) == (GERMAN, "", None)


@pytest.mark.parametrize(
    ("question", "asked_in"),
    [
        ("Was kostet der Versand, wenn wir lampp haben?", "de"),
        ("Mitä lampp maksaa ja kuinka kauan toimitus kestää?", "fi"),
    ],
    ids=["read word for word", "in a language without a list"],
)
async def test_a_question_in_another_language_is_never_respelt_into_the_pages_words(
    english_site: AnsweringHouse, question: str, asked_in: str
) -> None:
    english_site.keywords.spellings |= {"haben": "haven", "lampp": "lamp", "maksaa": "mask"}
    found = await english_site.retriever.retrieve(
        await english_site.live_agent(), SearchQuery(question, asked_in=asked_in)
    )
    assert found.question == question
    assert "lampp" in (found.read_as or found.question)
    assert "spelling" not in [stage["stage"] for stage in found.trace["stages"]]


@pytest.mark.parametrize("asked_in", [None, "pcm"])  # a few misspelt English words look like Nigerian Pidgin
async def test_a_question_whose_language_is_not_clear_is_respelt(
    english_site: AnsweringHouse, asked_in: str | None
) -> None:
    english_site.keywords.spellings["goverment"] = "government"
    query = SearchQuery("goverment shutdown: do i get late fees", asked_in=asked_in)
    found = await english_site.retriever.retrieve(await english_site.live_agent(), query)
    assert found.question == "government shutdown: do i get late fees"


async def test_the_words_of_a_follow_up_are_read_apart_from_those_before_them(english_site: AnsweringHouse) -> None:
    agent = await english_site.live_agent()
    joined = SearchQuery("Wie lange gilt die Garantie? Was kostet der Versand?", asked_in="de")

    for bare, read in (("Was kostet der Versand?", "what costs the shipping"), ("", ""), ("Garantie?", "")):
        found = await english_site.retriever.retrieve(agent, replace(joined, bare=bare))
        assert found.read_as == "how long is valid the warranty what costs the shipping"
        assert found.bare == read


async def test_a_follow_up_is_spelt_as_what_it_is_the_end_of(english_site: AnsweringHouse) -> None:
    english_site.keywords.spellings["waranty"] = "warranty"
    query = SearchQuery("My lamp broke. the waranty of it?", bare="the waranty of it?")
    found = await english_site.retriever.retrieve(await english_site.live_agent(), query)
    assert (found.question, found.bare) == ("My lamp broke. the warranty of it?", "the warranty of it?")


@pytest.mark.parametrize(("question", "is_lighter"), [(GERMAN, True), ("How long is the warranty of a lamp?", False)])
async def test_keywords_weigh_less_where_a_gloss_and_the_pages_share_few_words(
    english_site: AnsweringHouse, question: str, is_lighter: bool
) -> None:
    found = await english_site.retriever.retrieve(await english_site.live_agent(), SearchQuery(question))
    [trust] = [stage["trust"] for stage in found.trace["stages"] if stage["stage"] == "fusion"]
    best = max(item.coverage for item in found.ranked)
    assert trust == (pytest.approx(min(1.0, best / 0.5), abs=0.01) if is_lighter else 1.0)
    assert (trust < 1) is is_lighter
