"""`docent crawl`, `reindex` and `doctor`: what agents know, and whether it stands."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import urlsplit
from uuid import UUID

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from app.adapters.dbos_job_queue import WORKER_KIND, DbosJobQueue
from app.adapters.inline_job_queue import InlineJobQueue
from app.cli.agents import AgentId
from app.cli.crawl_progress import crawl_progress, in_words
from app.cli.local_operator import known_agents, local_operator, meant_agent
from app.cli.store_counts import store_counts
from app.cli.terminal import AsJson, err, out, print_json, run, settings_for
from app.domain.agent import Agent, AgentConfig
from app.domain.errors import DocentError
from app.domain.source import ENDED_STATES, CrawlRun, RunState, Source, SourceConfig, SourceKind
from app.main import Foundation, Knowledge, open_foundation, open_knowledge
from app.operating.actor import Actor
from app.operating.agents import Agents
from app.operating.sources import Sources
from app.ports.job_queue import JobQueue
from app.ports.records.page import PageRequest
from app.settings import Settings

_POLL_SECONDS = 0.25
_WORKER_SILENT_SECONDS = 15
_LISTED_PROBLEMS = 20
_FINE = frozenset({"indexed", "unchanged", "duplicate"})


def register(cli: typer.Typer) -> None:
    cli.command()(crawl)
    cli.command()(reindex)
    cli.command()(doctor)


def crawl(
    url: Annotated[str, typer.Argument(help="A website's root, or one page of it.")],
    agent: AgentId = None,
    page_only: Annotated[bool, typer.Option("--page", help="Read this page alone.")] = False,
    max_pages: Annotated[int, typer.Option(min=1, help="Stop after so many pages.")] = 2000,
    allow: Annotated[
        str | None, typer.Option(help="Private endpoints to read all the same, IP:PORT, comma separated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read a website now, in this process. Without an agent, one is made."""
    kind = SourceKind.URL if page_only else SourceKind.SITE
    config = SourceConfig(kind, urlsplit(url).hostname or url, url, max_pages=max_pages)
    run(_crawl(settings_for(crawl_allow=allow), config, agent, as_json))


def reindex(agent: AgentId = None, as_json: AsJson = False) -> None:
    """Build both indexes again from what is stored."""
    run(_reindex(settings_for(), agent, as_json))


def doctor(as_json: AsJson = False) -> None:
    """Say what is stored and whether the indexes agree with it."""
    run(_doctor(settings_for(), as_json))


async def _crawl(settings: Settings, config: SourceConfig, agent_id: UUID | None, as_json: bool) -> None:
    async with open_foundation(settings) as base, open_knowledge(base) as knowledge:
        actor = await local_operator(base)
        agent = await _agent_for(base, knowledge, actor, agent_id, config)
        source = await _source_for(base, actor, agent, config)
        async with base.record.write() as records:
            started = await records.sources.start_run(agent.id, source.id)
            started = await records.sources.resume_run(started.id)
        ended = await _watched(base, knowledge, started)
        sources = Sources(base.record, InlineJobQueue(knowledge.jobs))
        pages = (await sources.pages(actor, source.id, PageRequest(limit=200))).items
        problems = [page for page in pages if page.status not in _FINE]
        if as_json:
            print_json(
                {
                    "agent_id": agent.id,
                    "source_id": source.id,
                    "state": ended.state.value,
                    "stop_reason": ended.stop_reason,
                    "counts": ended.counts,
                    "problems": [{"url": p.url, "status": p.status, "reason": p.reason} for p in problems],
                }
            )
        else:
            title = f"Agent {agent.id}: {ended.stop_reason or ended.state.value}"
            table = Table("page", "outcome", "why", title=title)
            for page in problems[:_LISTED_PROBLEMS]:
                table.add_row(page.url, page.status, page.reason)
            out.print(table if problems else table.title)
            out.print(in_words(ended.counts))
    if ended.state is not RunState.FINISHED:
        raise typer.Exit(1)


async def _agent_for(
    base: Foundation, knowledge: Knowledge, actor: Actor, agent_id: UUID | None, config: SourceConfig
) -> Agent:
    if agent_id is not None or await known_agents(base, actor):
        return await meant_agent(base, actor, agent_id)
    agents = Agents(base.record, InlineJobQueue(knowledge.jobs))
    agent = await agents.create(actor, AgentConfig(name=config.name))
    await agents.publish(actor, agent.id)
    return agent


async def _source_for(base: Foundation, actor: Actor, agent: Agent, config: SourceConfig) -> Source:
    """The agent's source of that URL, so that crawling again reads what has changed."""
    async with base.record.read() as records:
        for source in await records.sources.of_agent(agent.id):
            if (source.config.kind, source.config.url) == (config.kind, config.url):
                break
        else:
            source = None
    async with base.record.write() as records:
        if source is None:
            return await records.sources.create(agent.id, config)
        return await records.sources.save(agent.id, source.id, config)


async def _watched(base: Foundation, knowledge: Knowledge, started: CrawlRun) -> CrawlRun:
    """Read here, or have it read by the worker that lives: two readers would fetch every page twice."""
    async with base.record.read() as records:
        workers = await records.processes.living(WORKER_KIND, _WORKER_SILENT_SECONDS)
    async with DbosJobQueue(base.settings.job_queue_url) as queue:
        jobs: JobQueue = queue if workers else InlineJobQueue(knowledge.jobs)
        reading = asyncio.create_task(jobs.crawl(started.agent_id, started.id, started.leg))
        with crawl_progress() as show:
            while True:
                await asyncio.wait([reading], timeout=_POLL_SECONDS)
                async with base.record.read() as records:
                    now = await records.sources.run(started.id)
                show(now.counts)
                if now.state in ENDED_STATES or now.state is RunState.PAUSED:
                    break
        await reading
    return now


async def _reindex(settings: Settings, agent_id: UUID | None, as_json: bool) -> None:
    totals: dict[str, dict[str, int]] = {}
    async with open_foundation(settings) as base, open_knowledge(base) as knowledge:
        chosen = None
        if agent_id is not None:
            chosen = (await meant_agent(base, await local_operator(base), agent_id)).id
        steps = knowledge.reindex.agent(chosen) if chosen else knowledge.reindex.all_agents()
        with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=err) as progress:
            bars: dict[UUID, Any] = {}
            async for step in steps:
                if step.agent_id not in bars:
                    bars[step.agent_id] = progress.add_task(f"Agent {step.agent_id}", total=step.total)
                progress.update(bars[step.agent_id], completed=step.done)
                totals[str(step.agent_id)] = {"chunks": step.total, "embedded": step.embedded}
    if as_json:
        print_json({"agents": totals})
    else:
        out.print(f"{sum(row['chunks'] for row in totals.values())} chunks of {len(totals)} agents indexed.")


async def _doctor(settings: Settings, as_json: bool) -> None:
    findings: list[str] = []
    agents: list[dict[str, Any]] = []
    async with open_foundation(settings) as base:
        for agent in await known_agents(base, await local_operator(base)):
            counts = await store_counts(base, agent.id)
            agents.append({"id": str(agent.id), "name": agent.draft.name, **asdict(counts)})
            findings += [f"{agent.draft.name}: {finding}" for finding in counts.findings()]
        findings += await _model_findings(base)
    if as_json:
        print_json({"healthy": not findings, "findings": findings, "agents": agents, "settings": settings.shown()})
    else:
        table = Table("agent", "documents", "chunks", "vectors", "keywords")
        for row in agents:
            table.add_row(row["name"], *(str(row[key]) for key in ("documents", "chunks", "vectors", "keywords")))
        out.print(table)
        out.print("\n".join(findings) or "Everything agrees.", highlight=False)
    if findings:
        raise typer.Exit(1)


async def _model_findings(base: Foundation) -> list[str]:
    findings = []
    try:
        await base.embedder.embed(["ready?"])
    except DocentError as error:
        findings.append(f"Embedder: {error}")
    try:
        await base.reranker.score("ready?", ["yes"], budget_seconds=10)
    except DocentError as error:
        findings.append(f"Reranker: {error}")
    return findings
