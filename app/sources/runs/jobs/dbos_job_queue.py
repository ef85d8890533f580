"""Implements JobQueue by DBOS, on SQLite or Postgres: jobs survive every process.

Only this and `dbos_worker`, which runs the jobs, know DBOS. It is imported with the first job: a web process that
enqueues none starts faster, and uses 25 MiB less.
"""

from typing import TYPE_CHECKING, Final, Self
from uuid import UUID, uuid4

import anyio
from anyio import to_thread

from app.core.errors import DatabaseAway, Misconfigured
from app.store.engine import leaving_lost_hosts, translated_errors

if TYPE_CHECKING:
    from dbos import DBOSClient, EnqueueOptions

READING: Final = "reading"
UPKEEP: Final = "upkeep"  # a separate queue: deletions must not wait for readings that take hours
QUEUES: Final = (READING, UPKEEP)
CRAWL: Final = "crawl"
FINISH_DELETIONS: Final = "finish_deletions"
RECONCILE_AGENT: Final = "reconcile_agent"
REINDEX_AGENT: Final = "reindex_agent"

_LEG: Final = "/leg-"


class DbosJobQueue:
    """`url` is `sqlite:///path` or `postgresql...`; tables are created on first use. Each call raises Misconfigured if
    no database responds there."""

    def __init__(self, url: str) -> None:
        self._url = leaving_lost_hosts(url).render_as_string(hide_password=False)
        self._client: DBOSClient | None = None
        self._opening = anyio.Lock()

    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        job_id = str(run_id) if leg == 1 else f"{run_id}{_LEG}{leg}"
        await self._enqueue(READING, CRAWL, job_id, str(agent_id), str(run_id), leg)

    async def finish_deletions(self, agent_id: UUID, deletion_id: UUID) -> None:
        await self._enqueue(UPKEEP, FINISH_DELETIONS, f"delete-{deletion_id}", str(agent_id))

    async def reconcile_agent(self, agent_id: UUID) -> None:
        await self._enqueue(UPKEEP, RECONCILE_AGENT, f"reconcile-{uuid4()}", str(agent_id))

    async def reindex_agent(self, agent_id: UUID) -> None:
        await self._enqueue(UPKEEP, REINDEX_AGENT, f"reindex-{uuid4()}", str(agent_id))

    async def client(self) -> "DBOSClient":
        """The client, opened on first use."""
        async with self._opening:
            if self._client is None:
                self._client = await to_thread.run_sync(_open_client, self._url)
            return self._client

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await to_thread.run_sync(client.destroy)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _enqueue(self, queue: str, workflow: str, workflow_id: str, *args: str | int) -> None:
        """Enqueue a workflow. Repeating this with the same `workflow_id` has no effect."""
        client = await self.client()
        options: EnqueueOptions = {"queue_name": queue, "workflow_name": workflow, "workflow_id": workflow_id}
        with translated_errors():
            await to_thread.run_sync(lambda: client.enqueue(options, *args))


def run_of(job_id: str) -> UUID:
    """The run that a crawl's job reads."""
    return UUID(job_id.partition(_LEG)[0])


def _open_client(url: str) -> "DBOSClient":
    from dbos import DBOS, DBOSClient

    try:
        with translated_errors():
            DBOS.migrate(url)
    except DatabaseAway as error:
        raise Misconfigured(
            "DOCENT_JOBS_URL: no database answers there; start it, or correct the address and the password."
        ) from error
    return DBOSClient(system_database_url=url)
