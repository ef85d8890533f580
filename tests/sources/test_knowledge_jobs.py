"""A worker's job to index an agent again."""

from pathlib import Path

from app.bootstrap.knowledge import open_knowledge
from app.kit.job_queue import InlineJobQueue
from tests.doubles.answering_house import answering_house


async def test_an_agent_whose_keywords_are_lost_is_indexed_again(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        await house.keywords.drop_agent(house.agent_id)
        assert await house.keywords.search(house.agent_id, None, "Norway", 5) == []
        async with open_knowledge(house.base) as knowledge:
            await InlineJobQueue(knowledge.jobs).reindex_agent(house.agent_id)
        assert len(await house.keywords.search(house.agent_id, None, "Norway", 5)) == 1
