import pytest

from app.core.errors import NotFound
from app.sources import kinds
from app.sources.source import SourceConfig
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words


async def test_a_page_that_is_gone_leaves_every_store(house: KnowledgeHouse) -> None:
    learnt = await house.ingest.learn(house.agent_id, house.source.id, page("/a"))
    await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(25, "other")))

    assert await house.retire.page(house.agent_id, house.source.id, "https://shop.example/a") == learnt.document_id
    assert await house.retire.page(house.agent_id, house.source.id, "https://shop.example/a") is None

    assert " ".join(await house.live_texts()) == words(25, "other")
    await house.assert_in_step()


async def test_a_page_that_came_back_is_learnt_again(house: KnowledgeHouse) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page())
    await house.retire.page(house.agent_id, house.source.id, page().url)

    await house.ingest.learn(house.agent_id, house.source.id, page())

    assert len(await house.live_ids()) == 3
    await house.assert_in_step()


async def test_a_deleted_source_takes_its_documents_along_and_no_others(house: KnowledgeHouse) -> None:
    other = await house.add_source(SourceConfig(kinds.TEXT, "Note", text="x"))
    await house.ingest.learn(house.agent_id, house.source.id, page())
    await house.ingest.learn(house.agent_id, other.id, page("/note", words(25, "note")))

    assert await house.retire.source(house.agent_id, house.source.id) == 1

    assert " ".join(await house.live_texts()) == words(25, "note")
    await house.assert_in_step()
    with pytest.raises(NotFound):
        await house.retire.source(house.agent_id, house.source.id)
