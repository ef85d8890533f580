"""The worker of `dbos_job_queue`, which keeps DBOS in threads of its own and runs the handlers on its event loop, where
their connections live:

    queue (SQL) --DBOS thread--> workflow --> handler, on the worker's loop
                                     `------> on failure: again, a few times, then given up

DBOS does not take over the jobs of a dead process, nor a job whose end it could not store. Workers write heartbeats to
the system of record. The first live one (by name) requeues the jobs of silent ones and starts the readings that are
due; each requeues jobs that are its own according to the queue but no longer in hand. A handler continues where the
other was.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Self
from uuid import UUID

import anyio
import structlog
from anyio import to_thread
from dbos import DBOS, DBOSClient, WorkflowStatus

from app.core.errors import DatabaseAway, DocentError, Overloaded, Unavailable
from app.kit.job_queue import JobHandlers
from app.kit.tasks import Supervisor, end_task
from app.sources.runs.jobs.dbos_job_queue import (
    CRAWL,
    FINISH_DELETIONS,
    QUEUES,
    READING,
    RECONCILE_AGENT,
    REINDEX_AGENT,
    DbosJobQueue,
    run_of,
)
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.store.engine import leaving_lost_hosts, translated_errors
from app.store.processes import DEAD_AFTER_SECONDS, WORKER, Liveness, ProcessRecords
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

MAX_ATTEMPTS: Final = 5

_VERSION: Final = "1"  # of the workflows below; jobs of other versions are not run
_DEAD_WORKERS: Final = "dead_workers"  # the attribute of a job that names those that had it, each once
_END_SECONDS: Final = 5
_READINGS_AT_ONCE: Final = 2
_LONGEST_PAUSE_SECONDS: Final = 60.0


class DbosWorker:
    """At most one per process, because DBOS is global in its process.

    `process_name` must be new for every start. A worker that is silent for `dead_after_seconds` counts as dead. A
    handler that raises is called again after `retry_seconds`, and after three times as long for each further failure; a
    job that failed MAX_ATTEMPTS times, or with which as many workers died, is given up, but never while the database is
    down. A worker that only was slow, and was taken for dead, counts once however often that happens.
    """

    def __init__(
        self,
        url: str,
        process_name: str,
        handlers: JobHandlers,
        record: SystemOfRecord,
        *,
        heartbeat_seconds: float = 3.0,
        dead_after_seconds: int = DEAD_AFTER_SECONDS[WORKER],
        retry_seconds: float = 2.0,
        polling_seconds: float = 1.0,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._url = leaving_lost_hosts(url).render_as_string(hide_password=False)
        self._name = process_name
        self._handlers = handlers
        self._record = record
        self._heartbeat_seconds = heartbeat_seconds
        self._dead_after_seconds = dead_after_seconds
        self._liveness = Liveness(process_name, WORKER, dead_after_seconds)
        self._retry_seconds = retry_seconds
        self._polling_seconds = polling_seconds
        self._supervisor = supervisor or Supervisor()
        self._queue = DbosJobQueue(url)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._working: set[asyncio.Task[Any]] = set()
        self._in_hand: set[str] = set()  # ids of the jobs that run here
        self._missed_since: dict[str, float] = {}  # when a job of this worker was first seen not to run
        self._enqueued: set[tuple[UUID, int]] = set()
        self._rounds: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Run jobs from now on, those of dead workers first."""
        self._loop = asyncio.get_running_loop()
        await self._queue.client()
        await self._beat()
        await to_thread.run_sync(self._launch)
        await self._look_after_others()
        rounds = (
            self._supervisor.keep_going("worker heartbeat", self._beat_again, rest_seconds=0),
            self._supervisor.keep_going("lost jobs", self._look_after_jobs, rest_seconds=0),
        )
        self._rounds = [asyncio.create_task(going) for going in rounds]
        log.info("worker.started", worker=self._name)

    async def stop(self) -> None:
        """Stop normally: running jobs go back to the queue, to be continued."""
        with anyio.CancelScope(shield=True):
            for task in self._rounds:
                await end_task(task)
            loop, self._loop = self._loop, None  # jobs that are dequeued from here on do not start
            if loop is None:
                return
            await _cancelled(list(self._working))
            await to_thread.run_sync(_destroy)
            try:
                with translated_errors():
                    handed_back = await self._hand_back()
            except (Overloaded, Unavailable) as error:  # others take over the jobs when they find this worker silent
                log.warning("worker.left_unsaid", worker=self._name, reason=str(error))
            else:
                log.info("worker.stopped", worker=self._name, handed_back=handed_back)
            finally:
                await self._queue.aclose()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _hand_back(self) -> int:
        """Put this worker's jobs back into the queue, and end its heartbeat; return the number of jobs."""
        client = await self._queue.client()
        mine = await _pending(client, self._name)
        await _hand_out(client, mine)
        await self._record.write(lambda tx: ProcessRecords(tx).leave(self._name))
        return len(mine)

    def _launch(self) -> None:
        """Start DBOS. Call this in a thread without an event loop, so that DBOS runs its workflows on its own loop."""
        DBOS(
            config={
                "name": "docent",
                "system_database_url": self._url,
                "executor_id": self._name,
                "application_version": _VERSION,
                "log_level": "ERROR",
            }
        )
        self._register_workflows()
        DBOS.launch()
        for name in QUEUES:
            at_once = _READINGS_AT_ONCE if name == READING else 1
            DBOS.register_queue(
                name,
                worker_concurrency=at_once,
                polling_interval_sec=self._polling_seconds,
                on_conflict="always_update",
            )

    def _register_workflows(self) -> None:
        """Workflows have no steps: a kill repeats the handler, and only the workflow's end needs to be stored."""

        @DBOS.workflow(name=CRAWL)
        async def crawl(agent_id: str, run_id: str, leg: int = 1) -> None:
            agent, run = UUID(agent_id), UUID(run_id)

            async def work() -> None:
                if reason := await self._persistently(lambda: self._handlers.crawl(agent, run, leg)):
                    await self._persistently(lambda: self._handlers.give_up_crawl(run, reason))

            await self._on_our_loop(work)

        @DBOS.workflow(name=FINISH_DELETIONS)
        async def finish_deletions(agent_id: str) -> None:
            agent = UUID(agent_id)
            await self._on_our_loop(lambda: self._persistently(lambda: self._handlers.finish_deletions(agent)))

        @DBOS.workflow(name=RECONCILE_AGENT)
        async def reconcile_agent(agent_id: str) -> None:
            agent = UUID(agent_id)
            await self._on_our_loop(lambda: self._persistently(lambda: self._handlers.reconcile_agent(agent)))

        @DBOS.workflow(name=REINDEX_AGENT)
        async def reindex_agent(agent_id: str) -> None:
            agent = UUID(agent_id)
            await self._on_our_loop(lambda: self._persistently(lambda: self._handlers.reindex_agent(agent)))

    async def _on_our_loop(self, work: Callable[[], Awaitable[object]]) -> None:
        loop, job_id = self._loop, DBOS.workflow_id
        if loop is None or job_id is None:
            raise asyncio.CancelledError  # this process ends: the job stays pending and is requeued
        self._in_hand.add(job_id)
        try:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._tracked(work), loop))
        finally:
            self._in_hand.discard(job_id)

    async def _tracked(self, work: Callable[[], Awaitable[object]]) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine on a loop runs in a task
        self._working.add(task)
        try:
            await work()
        finally:
            self._working.discard(task)

    async def _persistently(self, work: Callable[[], Awaitable[None]]) -> str:
        """Call `work` until it succeeds, up to MAX_ATTEMPTS times. Returns "", or why it failed, in words for the
        operator. A database that is down is waited for, without counting attempts: giving a job up needs it too."""
        pause, attempt = self._retry_seconds, 1
        while True:
            try:
                await work()
                return ""
            except DatabaseAway as error:
                log.warning("job.waits", reason=str(error))
            except Exception as error:
                log.warning("job.failed", attempt=attempt, error=str(error), exc_info=True)
                if attempt == MAX_ATTEMPTS:
                    return _in_words(error)
                attempt += 1
            await asyncio.sleep(pause)
            pause = min(3 * pause, _LONGEST_PAUSE_SECONDS)

    # Live workers take care of dead ones.

    async def _beat_again(self) -> None:
        """Nothing else happens in this loop: a worker whose other work is slow is not dead."""
        await asyncio.sleep(self._heartbeat_seconds)
        await self._beat()

    async def _beat(self) -> None:
        await self._record.write(self._liveness.beat)
        if self._liveness.silent_seconds > self._dead_after_seconds:
            log.warning("worker.was_silent", seconds=round(self._liveness.silent_seconds))

    async def _look_after_jobs(self) -> None:
        await asyncio.sleep(self._heartbeat_seconds)
        await self._hand_out_what_was_lost()
        await self._look_after_others()

    async def _hand_out_what_was_lost(self) -> None:
        """Requeue jobs that this worker has dequeued, but that have not run here for longer than starting or ending
        takes: the queue did not learn of their end."""
        client, now = await self._queue.client(), time.monotonic()
        missed = {job.workflow_id: job for job in await _pending(client, self._name)}
        missed = {job_id: job for job_id, job in missed.items() if job_id not in self._in_hand}
        self._missed_since = {job_id: self._missed_since.get(job_id, now) for job_id in missed}
        lost = [job for job_id, job in missed.items() if now - self._missed_since[job_id] >= self._dead_after_seconds]
        for job in lost:
            log.warning("job.end_not_stored", job=job.workflow_id)
        await _hand_out(client, lost)

    async def _look_after_others(self) -> None:
        living = await self._record.read(self._liveness.living)
        if living is None or self._name != min(living):
            return
        await self._handlers.start_due_runs()
        unfinished = await self._record.read(lambda tx: CrawlRunRecords(tx).unfinished_runs())
        for run in unfinished:  # it may not be enqueued: its process may have died after the commit
            if (run.id, run.leg) not in self._enqueued:
                await self._queue.crawl(run.agent_id, run.id, run.leg)
                self._enqueued.add((run.id, run.leg))
        client = await self._queue.client()
        for workflow in await _pending(client):
            if workflow.executor_id not in living:
                await self._take_over(client, workflow)
        await _begin_again(client, await _failed(client))

    async def _take_over(self, client: DBOSClient, workflow: WorkflowStatus) -> None:
        dead = {*(workflow.attributes or {}).get(_DEAD_WORKERS, ()), workflow.executor_id}
        log.warning("job.orphaned", job=workflow.workflow_id, worker=workflow.executor_id, attempts=len(dead))
        if len(dead) < MAX_ATTEMPTS:
            names = {_DEAD_WORKERS: sorted(dead)}
            await to_thread.run_sync(lambda: client.update_workflow_attributes(workflow.workflow_id, names, merge=True))
            await _hand_out(client, [workflow])
            return
        if workflow.name == CRAWL:
            reason = f"The worker crashed {len(dead)} times while it read this source. Check its log for the cause."
            await self._handlers.give_up_crawl(run_of(workflow.workflow_id), reason)
        await to_thread.run_sync(client.cancel_workflow, workflow.workflow_id)


def _destroy() -> None:
    """Wait for workflows that were just dequeued: DBOS must not close its loop meanwhile."""
    DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=_END_SECONDS)


async def _pending(client: DBOSClient, executor_id: str | None = None) -> list[WorkflowStatus]:
    """Jobs that have started and not ended; with `executor_id`, only those of that process."""
    return await to_thread.run_sync(
        lambda: client.list_workflows(
            status="PENDING", queue_name=list(QUEUES), executor_id=executor_id, load_input=False, load_output=False
        )
    )


async def _failed(client: DBOSClient) -> list[WorkflowStatus]:
    """Jobs that DBOS stored as failed because it could not store how they ended: our workflows never raise."""
    return await to_thread.run_sync(
        lambda: client.list_workflows(status="ERROR", queue_name=list(QUEUES), load_input=False, load_output=False)
    )


async def _begin_again(client: DBOSClient, failed: Sequence[WorkflowStatus]) -> None:
    def rewind() -> None:
        for workflow in failed:
            log.warning("job.end_not_stored", job=workflow.workflow_id)
            client.rewind_workflow(workflow.workflow_id, queue_name=workflow.queue_name)

    if failed:
        await to_thread.run_sync(rewind)


async def _hand_out(client: DBOSClient, workflows: Sequence[WorkflowStatus]) -> None:
    """Put started jobs back into their queue."""

    def resume() -> None:
        for workflow in workflows:
            client.resume_workflow(workflow.workflow_id, queue_name=workflow.queue_name)

    await to_thread.run_sync(resume)


async def _cancelled(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _in_words(error: Exception) -> str:
    if isinstance(error, DocentError):
        return str(error)
    return f"Docent itself failed ({type(error).__name__}); the worker's log has the details."
