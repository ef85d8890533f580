"""Which chunks an answer is made from."""

from pathlib import Path

from app.answering.retrieval import SearchQuery
from tests.doubles.answering_house import SITE, answering_house


async def test_one_page_does_not_fill_every_place(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        section = "Returns of a lamp are free. You may return a lamp within 30 days of its arrival, with its box."
        await house.learn("/stuffed", "\n\n".join(f"## Return a lamp {n}\n\n{section * 8}" for n in range(10)))
        agent = await house.live_agent()
        found = await house.retriever.retrieve(agent, SearchQuery("May I return a lamp within 30 days?"))

    stuffed = [item for item in found.ranked[:6] if item.chunk.url == f"{SITE}/stuffed"]
    assert len(stuffed) == agent.config.retrieval.sources  # the order alone would give it all of them
    assert [item.chunk.url for item in found.sources].count(f"{SITE}/stuffed") == agent.config.retrieval.sources - 1
