"""Deleting for good from the command line: asked for once more, and done by a worker where one lives."""

import sys
from uuid import UUID

import typer

from app.bootstrap.infrastructure import Stored
from app.cli.sources.jobs_here import JobsHere
from app.cli.terminal import fail
from app.core.actor import Actor
from app.sources.deletions.deletion import DeletedKind, Deletion
from app.sources.deletions.deletions import Deletions
from app.store.processes import ProcessRecords

_WORKER_SILENT_SECONDS = 15


def confirm(what: str, is_sure: bool) -> None:
    """Ends the command unless the operator is sure, in the command or at the terminal."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        fail(f"Deleting {what} cannot be undone. Confirm with --yes.", 2)
    typer.confirm(f"Delete {what}? This cannot be undone.", abort=True)


async def delete(base: Stored, actor: Actor, kind: DeletedKind, subject_id: UUID) -> Deletion:
    """Both indexes have forgotten it when this returns, or a living worker sees to it: they have one writer."""
    from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue
    from app.sources.runs.jobs.dbos_worker import WORKER_KIND

    has_worker = await base.record.read(lambda tx: bool(ProcessRecords(tx).living(WORKER_KIND, _WORKER_SILENT_SECONDS)))
    if not has_worker:
        return await Deletions(base.record, JobsHere(base.settings)).delete(actor, kind, subject_id)
    async with DbosJobQueue(base.settings.job_queue_url) as jobs:
        return await Deletions(base.record, jobs).delete(actor, kind, subject_id)
