"""Reads a source from a command, with a progress bar."""

import asyncio
from dataclasses import dataclass

from app.agents.agent import Agent, AgentConfig
from app.agents.agents import Agents
from app.agents.model_endpoints import ChatModelNames
from app.bootstrap.infrastructure import Infrastructure
from app.bootstrap.knowledge import Knowledge, page_scope_on
from app.cli.local_operator import known_agents, meant_agent
from app.cli.sources.crawl_progress import crawl_progress, in_words
from app.cli.terminal import out, print_json, table
from app.core.actor import Actor
from app.core.list_page import PageRequest
from app.kit.job_queue import InlineJobQueue, JobQueue
from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import ENDED_STATES, READ_STATUSES, CrawlRun, RunState, Source
from app.sources.sources import Sources
from app.store.processes import WORKER, ProcessRecords
from app.store.transaction import Transaction

_POLL_SECONDS = 0.25
_LISTED_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The end of a run. `problem` is None if it finished and has pages to answer from."""

    problem: str | None
    has_pages: bool


async def agent_for(base: Infrastructure, knowledge: Knowledge, actor: Actor, named: str | None, name: str) -> Agent:
    """The agent that `named` identifies (see `meant_agent`). If no agent exists, a new one called `name` is created and
    published."""
    if named is not None or await known_agents(base, actor):
        return await meant_agent(base, actor, named)
    agents = Agents(base.record, InlineJobQueue(knowledge.jobs), ChatModelNames(base.settings.models))
    agent = await agents.create(actor, AgentConfig(name=name))
    await agents.publish(actor, agent.id)
    return agent


async def run_now(
    base: Infrastructure, knowledge: Knowledge, actor: Actor, source: Source, as_json: bool
) -> RunOutcome:
    """Read the source and print what became of its pages. The run has failed if it did not finish, or if there is
    nothing to answer from, such as when all pages wait for an operator's review."""
    ended = await read_now(base, knowledge, actor, source)
    sources = Sources(base.record, InlineJobQueue(knowledge.jobs), page_scope_on(base))
    pages = (await sources.pages(actor, source.id, PageRequest(limit=200))).items
    problems = [page for page in pages if page.status not in READ_STATUSES]
    has_pages = any(ended.counts.get(status) for status in READ_STATUSES)
    if as_json:
        print_json(
            {
                "agent_id": source.agent_id,
                "source_id": source.id,
                "state": ended.state.value,
                "stop_reason": ended.stop_reason,
                "counts": ended.counts,
                "problems": [{"url": p.url, "status": p.status, "reason": p.reason} for p in problems],
            }
        )
    elif has_pages:
        title = f"Agent {source.agent_id}: {ended.stop_reason or ended.state.value}"
        rows = ((page.url, page.status, page.reason) for page in problems[:_LISTED_PROBLEMS])
        out.print(table(("page", "outcome", "why"), rows, title) if problems else title)
        out.print(in_words(ended.counts))
    problem = None
    if not has_pages:
        reasons = (page.reason for page in problems if page.reason)
        problem = next(reasons, ended.stop_reason or "there was nothing to read")
    elif ended.state is not RunState.FINISHED:
        problem = ended.stop_reason or ended.state.value
    return RunOutcome(problem, has_pages)


async def read_now(base: Infrastructure, knowledge: Knowledge, actor: Actor, source: Source) -> CrawlRun:
    """Read the source in a live worker if there is one, else in this process: both would fetch each page twice."""

    def work(tx: Transaction) -> CrawlRun:
        started = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        return CrawlRunRecords(tx).resume_run(started.id)

    started = await base.record.of_workspace(actor.workspace_id).write(work)
    workers = await base.record.read(lambda tx: ProcessRecords(tx).living(WORKER))
    async with DbosJobQueue(base.settings.job_queue_url) as queue:
        jobs: JobQueue = queue if workers else InlineJobQueue(knowledge.jobs)
        reading = asyncio.create_task(jobs.crawl(started.agent_id, started.id, started.leg))
        with crawl_progress() as show:
            while True:
                await asyncio.wait([reading], timeout=_POLL_SECONDS)
                now = await base.record.of_agent(started.agent_id).read(lambda tx: CrawlRunRecords(tx).run(started.id))
                show(now.counts)
                if now.state in ENDED_STATES or now.state is RunState.PAUSED:
                    break
        await reading
    return now
