"""What a search found is remembered for half an hour, and what cannot be read of it never stands in the way."""

import zlib

import pytest

from app.search.retrieval import SearchQuery
from app.search.retrieval_cache import CachedRetriever, cache_key
from tests.doubles.answering_house import AnsweringHouse

QUERY = SearchQuery("How long is the warranty of a lamp?")


async def test_the_same_question_gets_the_same_ranking_without_a_search(house: AnsweringHouse) -> None:
    agent, cached = await house.live_agent(), CachedRetriever(house.retriever, house.cache, house.record)
    found = await cached.retrieve(agent, QUERY)

    again = await cached.retrieve(agent, QUERY)

    assert found.ranked
    assert (again.ranked, again.sources, again.best) == (found.ranked, found.sources, found.best)
    assert again.question == found.question == QUERY.text
    assert again.trace == found.trace | {"cache": "hit"}


@pytest.mark.parametrize(
    "unreadable", [b"", b"no zlib", zlib.compress(b"no JSON"), zlib.compress(b"[]"), zlib.compress(b'{"ranked": 7}')]
)
async def test_what_cannot_be_read_is_searched_anew(house: AnsweringHouse, unreadable: bytes) -> None:
    agent, cached = await house.live_agent(), CachedRetriever(house.retriever, house.cache, house.record)
    await house.cache.set(cache_key(agent, QUERY), unreadable, ttl_seconds=60)

    found = await cached.retrieve(agent, QUERY)

    assert found.ranked
    assert "cache" not in found.trace
