"""The console's pages for deleting for good, and the receipts."""

from dataclasses import fields
from typing import Final

from app.core.errors import InvalidInput, NotFound
from app.knowledge.passages import Passages
from app.sources.deletions.deletion import DeletedKind, Deletion, StoreCounts
from app.sources.deletions.deletions import Deletions
from app.sources.pages.sources import own_source
from app.sources.sources import Sources
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write


class AgentDeletion(Form):
    name: str = ""


class DeletionPages(Pages):
    _deletions: Deletions
    _sources: Sources
    _passages: Passages

    @page("/console/deletions/{deletion_id}", access=read)
    async def deletion(self, visit: Visit[NoForm]) -> Shown:
        receipt = await self._deletions.deletion(visit.actor, visit.path_id("deletion_id"))
        return Shown("sources/deletions/deletion.html", {"receipt": receipt, "rows": _rows(receipt)})

    @action("/console/deletions/{deletion_id}/finish", access=write, shown_on="deletion")
    async def finish_deletion(self, visit: Visit[NoForm]) -> Go:
        deletion = await self._deletions.finish_again(visit.actor, visit.path_id("deletion_id"))
        return Go(visit.url("deletion", deletion_id=deletion.id), "A worker is finishing the deletion.")

    @action("/console/agents/{agent_id}/delete", access=write, shown_on="agent_settings")
    async def delete_agent(self, visit: Visit[AgentDeletion]) -> Go:
        """Typing its name confirms that this agent is meant."""
        if visit.input.name.strip() != visit.agent.draft.name:
            raise InvalidInput("name", f'Type "{visit.agent.draft.name}", the name of the agent to delete.')
        deleted = await self._deletions.delete(visit.actor, DeletedKind.AGENT, visit.agent.id)
        return _to_receipt(visit, deleted)

    @action("/console/agents/{agent_id}/sources/{source_id}/delete", access=write, shown_on="source")
    async def delete_source(self, visit: Visit[NoForm]) -> Go:
        source = await own_source(self._sources, visit)
        return _to_receipt(visit, await self._deletions.delete(visit.actor, DeletedKind.SOURCE, source.id))

    @action(
        "/console/agents/{agent_id}/sources/{source_id}/pages/{document_id}/delete",
        access=write,
        shown_on="learnt_page",
    )
    async def delete_page(self, visit: Visit[NoForm]) -> Go:
        await own_source(self._sources, visit)
        document_id = visit.path_id("document_id")
        passages = await self._passages.of_document(visit.actor, document_id)
        if any(passage.agent_id != visit.agent.id for passage in passages):
            raise NotFound("document")
        return _to_receipt(visit, await self._deletions.delete(visit.actor, DeletedKind.DOCUMENT, document_id))


def _to_receipt(visit: Visit[Form], deleted: Deletion) -> Go:
    return Go(visit.url("deletion", deletion_id=deleted.id), f"{deleted.name} deleted.")


def _rows(receipt: Deletion) -> list[tuple[str, int | None, int | None]]:
    """For each store: its name, the rows before, the rows now."""
    return [
        (_STORES[each.name], getattr(receipt.before, each.name), getattr(receipt.after, each.name))
        for each in fields(StoreCounts)
    ]


_STORES: Final = {
    "documents": "Pages",
    "versions": "Page versions",
    "chunks": "Chunks",
    "embeddings": "Cached vectors",
    "vectors": "Vector index rows",
    "keywords": "Keyword index entries",
}
