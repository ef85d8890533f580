"""Admin API: deleting a page, a source or an agent, with a receipt."""

from app.core.actor import Actor
from app.sources.deletions.deletion import DeletedKind, Deletion, StoreCounts
from app.sources.deletions.deletions import Deletions
from app.web.operation import Api, Call, Model, delete, get, post, read, write

TAG = "Deletions"
PATHS = {
    DeletedKind.DOCUMENT: "/v1/documents/{document_id}",
    DeletedKind.SOURCE: "/v1/sources/{source_id}",
    DeletedKind.AGENT: "/v1/agents/{agent_id}",
}


class StoreCountsOut(Model, shows=StoreCounts, fields="documents versions chunks embeddings vectors keywords"): ...


class DeletionOut(
    Model, shows=Deletion, fields="id kind subject_id name state before after requested_at verified_at"
): ...


class AdminDeletions(Api):
    tag = TAG
    _deletions: Deletions

    @get(
        "/v1/deletions/{deletion_id}",
        "Get the receipt of a deletion, with what each store held before and holds now",
        access=read,
    )
    async def get_deletion(self, call: Call[Actor, None]) -> DeletionOut:
        return DeletionOut.showing(await self._deletions.deletion(call.caller, call.path_id("deletion_id")))

    @post(
        "/v1/deletions/{deletion_id}/finish",
        "Have a worker finish a pending deletion",
        access=write,
    )
    async def finish_deletion(self, call: Call[Actor, None]) -> DeletionOut:
        return DeletionOut.showing(await self._deletions.finish_again(call.caller, call.path_id("deletion_id")))

    @delete(PATHS[DeletedKind.DOCUMENT], "Delete a page; a source that still links to it adds it again", access=write)
    async def delete_document(self, call: Call[Actor, None]) -> DeletionOut:
        return await self._delete(call, DeletedKind.DOCUMENT)

    @delete(PATHS[DeletedKind.SOURCE], "Delete a source and its pages", access=write)
    async def delete_source(self, call: Call[Actor, None]) -> DeletionOut:
        return await self._delete(call, DeletedKind.SOURCE)

    @delete(PATHS[DeletedKind.AGENT], "Delete an agent and everything that belongs to it", access=write)
    async def delete_agent(self, call: Call[Actor, None]) -> DeletionOut:
        return await self._delete(call, DeletedKind.AGENT)

    async def _delete(self, call: Call[Actor, None], kind: DeletedKind) -> DeletionOut:
        return DeletionOut.showing(await self._deletions.delete(call.caller, kind, call.path_id(f"{kind.value}_id")))
