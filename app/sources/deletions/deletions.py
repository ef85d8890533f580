"""Deletes a page, a source or an agent for good: at once from what answers use, then by a worker from both indexes,
their files and the object store of uploads. Each deletion has a receipt.

    count its rows -> delete -> rewrite both indexes without it -> count again -> verified

A worker can repeat its part from any point: the first count stays, and the rest finds nothing to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4

import structlog

from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.errors import IndexUnavailable
from app.kit.job_queue import JobQueue
from app.kit.wiring import Wired
from app.knowledge.chunk_indexer import ChunkIndexer, write_terms_anew
from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex
from app.sources.deletions.deletion import DeletedKind, Deletion, DeletionState
from app.sources.deletions.records import DeletionRecords
from app.sources.files.file_bodies import FileBodies
from app.store.system_of_record import SystemOfRecord, Transaction, reads
from app.workspaces.records.audit import AuditRecords

_ATTEMPTS: Final = 5  # to rewrite the keyword index while a reading adds to it

log = structlog.get_logger(__name__)


class Deletions(Wired):
    """Every method raises NotFound for what does not exist or belongs to another workspace.

    From the commit on, no answer uses the deleted content. The receipt has the counts of the system of record at once;
    a worker then clears both indexes, compacts and counts them, and marks it as verified.
    """

    _records: SystemOfRecord
    _jobs: JobQueue

    async def delete(self, actor: Actor, kind: DeletedKind, subject_id: UUID) -> Deletion:
        """Delete the subject for good. A page to which its source still leads is learnt again by the next reading."""

        def work(tx: Transaction) -> Deletion:
            deletion = DeletionRecords(tx).erase(actor.workspace_id, kind, subject_id)
            AuditRecords(tx).acted(
                actor,
                f"{kind.value}.delete",
                subject_id,
                agent_id=str(deletion.agent_id),
                deletion_id=str(deletion.id),
                removed_versions=deletion.before.versions,
            )
            return deletion

        deletion = await self._records.of_workspace(actor.workspace_id).write(work)
        # A crash before this line leaves a pending receipt, which the next worker that starts finishes.
        await self._jobs.finish_deletions(deletion.agent_id, deletion.id)
        return deletion

    async def finish_again(self, actor: Actor, deletion_id: UUID) -> Deletion:
        """Let a worker finish a deletion that was given up; a verified one stays unchanged."""
        deletion = await self.deletion(actor, deletion_id)
        if deletion.state is DeletionState.PENDING:
            await self._jobs.finish_deletions(deletion.agent_id, uuid4())  # its own id was already used for a job
        return deletion

    @reads
    def deletion(self, tx: Transaction, actor: Actor, deletion_id: UUID) -> Deletion:
        return DeletionRecords(tx).deletion(actor.workspace_id, deletion_id)


@dataclass(frozen=True, slots=True)
class FinishDeletions:
    _record: SystemOfRecord
    _vectors: VectorIndex
    _keywords: KeywordIndex
    _indexer: ChunkIndexer
    _files: FileBodies

    async def all_agents(self) -> None:
        """Finish the pending deletions of all agents. A worker runs this when it starts."""
        agents = await self._record.read(
            lambda tx: dict.fromkeys(deletion.agent_id for deletion in DeletionRecords(tx).pending())
        )
        for agent_id in agents:
            await self.agent(agent_id)

    async def agent(self, agent_id: UUID) -> None:
        """Finish all pending deletions of the agent together. Raises IndexUnavailable or FilesUnavailable; they stay
        pending then."""

        def work(tx: Transaction) -> tuple[bool, list[Deletion]]:
            pending = DeletionRecords(tx).pending(agent_id)
            exists = AgentRecords(tx).exists(agent_id)
            return exists, pending

        exists, pending = await self._record.read(work)
        if not pending:
            return
        for deletion in pending:
            held = await self._held(deletion)
            await self._record.write(lambda tx: DeletionRecords(tx).count_in_indexes(deletion.id, *held))
        await self._clear(agent_id, pending if exists else ())
        for deletion in pending:
            if any(left := await self._held(deletion)):
                raise IndexUnavailable(f"{left[0]} deleted vectors and {left[1]} deleted keyword entries are left.")
            await self._forget_files(deletion)
            await self._record.write(lambda tx: DeletionRecords(tx).verify(deletion.id))
            log.info("deletion.verified", deletion_id=str(deletion.id), kind=deletion.kind.value)

    async def _held(self, deletion: Deletion) -> tuple[int, int]:
        """The deletion's rows in the vector and in the keyword index."""
        if deletion.kind is DeletedKind.AGENT:
            vectors = await self._vectors.chunk_ids(deletion.agent_id)
            return len(vectors), len(await self._keywords.chunk_ids(deletion.agent_id))
        versions = deletion.version_ids
        return (
            await self._vectors.count_versions(deletion.agent_id, versions),
            await self._keywords.count_versions(deletion.agent_id, versions),
        )

    async def _forget_files(self, deletion: Deletion) -> None:
        match deletion.kind:
            case DeletedKind.AGENT:
                await self._files.forget_all(deletion.agent_id)
            case DeletedKind.SOURCE:
                await self._files.forget_all(deletion.agent_id, deletion.subject_id)
            case DeletedKind.DOCUMENT:  # its source still has the file
                pass

    async def _clear(self, agent_id: UUID, pending: Sequence[Deletion]) -> None:
        """Remove the content from both indexes and their files. Without `pending`, remove the whole agent."""
        if not pending:
            await self._indexer.forget_agent(agent_id)
        versions = [version_id for deletion in pending for version_id in deletion.version_ids]
        await self._vectors.drop_versions(agent_id, versions)
        await self._keywords.drop_versions(agent_id, versions)
        await self._vectors.purge()
        if pending:
            await self._write_keywords_anew(agent_id)

    async def _write_keywords_anew(self, agent_id: UUID) -> None:
        for _ in range(_ATTEMPTS):
            if await write_terms_anew(self._record, self._keywords, agent_id):
                return
        raise IndexUnavailable("The keywords kept changing while they were rewritten. The worker tries again.")
