"""A page's links are learnt with it, outside of what is searched and compared."""

from dataclasses import replace

from app.core.chunk import Chunk
from app.knowledge.document import IngestOutcome, IngestReceipt, PageContent
from app.knowledge.records.live_documents import LiveDocumentRecords
from tests.knowledge.knowledge_house import KnowledgeHouse, page

TEXT = "Send the [return form](https://x.example/forms/{0}) within thirty days. Then [ask us](tel:+44207) about it."


def linking(form: str, url: str = "https://x.example/returns") -> PageContent:
    return replace(page(), url=url, markdown=TEXT.format(form))


async def learnt(house: KnowledgeHouse, content: PageContent) -> IngestReceipt:
    return await house.ingest.learn(house.agent_id, house.source.id, content)


async def chunk(house: KnowledgeHouse) -> Chunk:
    ids = list(await house.live_ids())
    return (await house.record.read(lambda tx: LiveDocumentRecords(tx).live_chunks(house.agent_id, ids)))[ids[0]]


async def test_what_is_embedded_and_stored_as_text_has_no_targets(house: KnowledgeHouse) -> None:
    await learnt(house, linking("a.pdf"))
    stored = await chunk(house)
    assert stored.text == "Send the return form within thirty days. Then ask us about it."
    assert [link.target for link in stored.links] == ["https://x.example/forms/a.pdf", "tel:+44207"]
    assert stored.linked_text == TEXT.format("a.pdf")
    assert "x.example/forms" not in "".join(house.embedder.embedded)


async def test_a_link_that_leads_elsewhere_is_learnt_without_embedding_anything(house: KnowledgeHouse) -> None:
    await learnt(house, linking("a.pdf"))
    receipt = await learnt(house, linking("b.pdf"))
    assert (receipt.outcome, receipt.embedded) == (IngestOutcome.INDEXED, 0)
    assert (await chunk(house)).links[0].target == "https://x.example/forms/b.pdf"
    await house.assert_in_step()


async def test_a_query_that_is_written_anew_each_time_changes_nothing(house: KnowledgeHouse) -> None:
    await learnt(house, linking("a.pdf?nonce=1"))
    assert (await learnt(house, linking("a.pdf?nonce=2"))).outcome is IngestOutcome.UNCHANGED


async def test_copies_of_a_page_are_known_whatever_their_links_are_relative_to(house: KnowledgeHouse) -> None:
    await learnt(house, linking("a.pdf"))
    copy = await learnt(house, linking("print/a.pdf", url="https://x.example/print/returns"))
    assert copy.outcome is IngestOutcome.DUPLICATE
