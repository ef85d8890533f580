"""What a search found is remembered for half an hour, and what cannot be read of it never stands in the way."""

from dataclasses import replace

import pytest

from app.search.retrieval import SearchQuery
from app.search.retrieval_cache import CachedRetriever, cache_key
from tests.doubles.answering_house import AnsweringHouse

QUERY = SearchQuery("How long is the warranty of a lamp?")
MISSPELT = SearchQuery("How long is the warrenty of a lamp?")


async def test_the_same_question_gets_the_same_ranking_without_a_search(house: AnsweringHouse) -> None:
    agent, cached = await house.live_agent(), CachedRetriever(house.retriever, house.cache, house.record)
    found = await cached.retrieve(agent, QUERY)

    again = await cached.retrieve(agent, QUERY)

    assert found.ranked
    assert (again.ranked, again.sources, again.best) == (found.ranked, found.sources, found.best)
    assert again.question == found.question == QUERY.text
    assert again.trace == found.trace | {"cache": "hit"}


async def test_the_question_is_not_kept_with_its_ranking(house: AnsweringHouse) -> None:
    agent, cached = await house.live_agent(), CachedRetriever(house.retriever, house.cache, house.record)
    await cached.retrieve(agent, QUERY)

    again = await cached.retrieve(agent, replace(QUERY, text=QUERY.text.upper()))

    assert again.trace["cache"] == "hit"
    assert again.question == QUERY.text.upper()
    assert not any(b"warranty" in value for value in house.cache.values.values())


async def test_a_question_that_was_spelt_otherwise_is_remembered_as_the_pages_spell_it(house: AnsweringHouse) -> None:
    house.keywords.spellings["warrenty"] = "warranty"
    agent, cached = await house.live_agent(), CachedRetriever(house.retriever, house.cache, house.record)
    await cached.retrieve(agent, MISSPELT)

    again = await cached.retrieve(agent, MISSPELT)

    assert again.trace["cache"] == "hit"
    assert again.question == QUERY.text


@pytest.mark.parametrize(
    "unreadable",
    [
        b"",
        b"\xff\xfe",
        b"no JSON",
        b"[]",
        b'{"ids": 7}',
        b'{"ids": ["one"], "current": []}\nhalf a row',
        b'{"ids": ["one"], "current": []}\n',
    ],
)
async def test_what_cannot_be_read_is_searched_anew(house: AnsweringHouse, unreadable: bytes) -> None:
    agent, cached = await house.live_agent(), CachedRetriever(house.retriever, house.cache, house.record)
    await house.cache.set(cache_key(agent, QUERY), unreadable, ttl_seconds=60)

    found = await cached.retrieve(agent, QUERY)

    assert found.ranked
    assert "cache" not in found.trace
