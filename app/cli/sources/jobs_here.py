"""Jobs that a command runs itself if no worker is alive, such as permanent deletion. The indexes and models are opened
only for a job, because few commands have one."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from app.agents.agents import Agents
from app.agents.model_endpoints import ChatModelNames
from app.bootstrap.infrastructure import Stored, open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.cli.terminal import fail
from app.core.actor import Actor
from app.settings import Settings
from app.sources.deletions.deletion import DeletedKind, Deletion
from app.store.processes import WORKER, ProcessRecords

if TYPE_CHECKING:
    from app.kit.job_queue import InlineJobQueue


class JobsHere:
    """A JobQueue whose calls return when the work is done."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        async with self._queue() as queue:
            await queue.crawl(agent_id, run_id, leg)

    async def finish_deletions(self, agent_id: UUID, deletion_id: UUID) -> None:
        async with self._queue() as queue:
            await queue.finish_deletions(agent_id, deletion_id)

    async def reconcile_agent(self, agent_id: UUID) -> None:
        async with self._queue() as queue:
            await queue.reconcile_agent(agent_id)

    async def reindex_agent(self, agent_id: UUID) -> None:
        async with self._queue() as queue:
            await queue.reindex_agent(agent_id)

    @asynccontextmanager
    async def _queue(self) -> "AsyncIterator[InlineJobQueue]":
        from app.kit.job_queue import InlineJobQueue

        async with open_infrastructure(self._settings) as base, open_knowledge(base) as knowledge:
            yield InlineJobQueue(knowledge.jobs)


def agents_here(base: Stored) -> Agents:
    """Agents whose jobs this command runs itself."""
    return Agents(base.record, JobsHere(base.settings), ChatModelNames(base.settings.models))


Sure = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


def confirm(what: str, is_sure: bool) -> None:
    """End the command unless `is_sure`, or the operator confirms at the terminal."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        fail(f"Deleting {what} cannot be undone. Confirm with --yes.", 2)
    typer.confirm(f"Delete {what}? This cannot be undone.", abort=True)


async def delete(base: Stored, actor: Actor, kind: DeletedKind, subject_id: UUID) -> Deletion:
    """Delete a subject. A live worker removes it from both indexes later, because they have one writer; without a
    worker, it is removed when this returns."""
    from app.sources.deletions.deletions import Deletions
    from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue

    has_worker = await base.record.read(lambda tx: bool(ProcessRecords(tx).living(WORKER)))
    if not has_worker:
        return await Deletions(base.record, JobsHere(base.settings)).delete(actor, kind, subject_id)
    async with DbosJobQueue(base.settings.job_queue_url) as jobs:
        return await Deletions(base.record, jobs).delete(actor, kind, subject_id)
