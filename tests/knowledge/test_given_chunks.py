import pytest

from app.knowledge.context_line import ContextLine
from app.knowledge.given_chunks import CutPage, GivenChunks
from tests.knowledge.knowledge_house import KnowledgeHouse, page


@pytest.fixture
def given(house: KnowledgeHouse) -> GivenChunks:
    return GivenChunks(house.record, house.indexer, ContextLine(house.embedder, 40))


async def test_pages_are_learnt_with_exactly_their_chunks(house: KnowledgeHouse, given: GivenChunks) -> None:
    cut = CutPage(page("/a", title="Prices"), (("Plus is 4 euro.", ("Plus",)), ("Basic is free.", ())))

    assert await given.learn(house.agent_id, house.source.id, [cut]) == 2

    assert await house.live_texts() == ["Plus is 4 euro.", "Basic is free."]
    assert "shop.example | Prices | Plus\nPlus is 4 euro." in house.embedder.embedded
    await house.assert_in_step()


async def test_two_pages_of_the_same_content_are_two(house: KnowledgeHouse, given: GivenChunks) -> None:
    pages = [CutPage(page(path), (("The same.", ()),)) for path in ("/a", "/b")]

    await given.learn(house.agent_id, house.source.id, pages)

    assert await house.live_texts() == ["The same."] * 2
