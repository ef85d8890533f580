"""Pages as they are once learnt: live in the system of record, and found by their words."""

from uuid import UUID

from app.core.chunk import ChunkDraft, chunk_id, content_hash
from app.knowledge.document import PageContent
from app.knowledge.records.documents import DocumentRecords
from app.providers.indexes.search_indexes import ChunkTerms, KeywordIndex
from app.store.system_of_record import SystemOfRecord


async def learn(
    record: SystemOfRecord,
    keywords: KeywordIndex,
    agent_id: UUID,
    source_id: UUID,
    url: str,
    title: str,
    *sections: tuple[str, str],
    description: str = "",
) -> UUID:
    """The document's id. Each section is its heading, "" for the page's opening, and its Markdown."""
    drafts = [
        ChunkDraft(
            position,
            text,
            f"{title} {heading}".strip(),
            (title, *([heading] if heading else [])),
            heading.lower() or None,
        )
        for position, (heading, text) in enumerate(sections)
    ]
    markdown = "\n\n".join(f"## {heading}\n\n{text}" if heading else text for heading, text in sections)
    page = PageContent(url, title, markdown, description=description)
    with record.writing() as tx:
        version = DocumentRecords(tx).add_pending(agent_id, source_id, page, content_hash(url + markdown), drafts)
        DocumentRecords(tx).make_live(version)
    rows = [
        ChunkTerms(chunk_id(agent_id, version.id, draft.position), version.id, title, draft.searchable_text)
        for draft in drafts
    ]
    await keywords.put(agent_id, None, rows)
    return version.document_id
