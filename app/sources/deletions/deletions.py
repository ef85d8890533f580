"""Operators delete a page, a source or an agent for good. Each deletion has a receipt."""

from uuid import UUID, uuid4

from app.core.actor import Actor
from app.kit.job_queue import JobQueue
from app.sources.deletions.deletion import DeletedKind, Deletion, DeletionState
from app.sources.deletions.records import DeletionRecords
from app.store.system_of_record import SystemOfRecord, Transaction, reads
from app.workspaces.records.audit import AuditRecords


class Deletions:
    """Every method raises NotFound for what does not exist or belongs to another workspace.

    From the commit on, no answer uses the deleted content. The receipt has the counts of the system of record at once;
    a worker then clears both indexes, compacts and counts them, and marks it as verified.
    """

    def __init__(self, records: SystemOfRecord, jobs: JobQueue) -> None:
        self._records = records
        self._jobs = jobs

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
