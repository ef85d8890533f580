"""`docent source ...`: what an agent learns from, and holding its reading."""

from collections.abc import Awaitable, Callable
from typing import Annotated
from uuid import UUID

import typer

from app.bootstrap.knowledge import page_scope_on
from app.cli.local_operator import meant_agent, meant_source, open_installation
from app.cli.sources.crawl_progress import in_words
from app.cli.terminal import AgentName, AsJson, Commands, out, print_json, table
from app.core.actor import Actor
from app.sources.records.sources import SourceRecords
from app.sources.source import CrawlRun
from app.sources.sources import Sources

commands = Commands(help="Sources: what an agent learns from.")

SourceName = Annotated[str, typer.Argument(metavar="SOURCE", help="Its name, address or id, or how one begins.")]
Order = Callable[[Sources, Actor, UUID], Awaitable[CrawlRun]]


@commands.command("list")
async def list_(named: AgentName = None, as_json: AsJson = False) -> None:
    """Show an agent's sources, each with its latest reading."""
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        sources = await base.record.of_workspace(agent.workspace_id).read(
            lambda tx: SourceRecords(tx).of_agent(agent.id)
        )
    rows = [
        {
            "id": source.id,
            "kind": source.config.kind.value,
            "name": source.config.name,
            "url": source.config.url,
            "state": source.run.state.value if source.run else None,
            "counts": source.run.counts if source.run else {},
        }
        for source in sources
    ]
    if as_json:
        print_json({"agent_id": agent.id, "sources": rows})
        return
    shown = table("id", "kind", "name", "address", "reading", "pages")
    for source in sources:
        reading, counts = (source.run.state.value, source.run.counts) if source.run else ("never read", {})
        shown.add_row(
            str(source.id), source.config.kind.value, source.config.name, source.config.url, reading, in_words(counts)
        )
    out.print(shown)


@commands.command()
async def pause(source: SourceName, as_json: AsJson = False) -> None:
    """Let a reading rest; it keeps its place."""
    await _order(source, Sources.pause, as_json)


@commands.command()
async def resume(source: SourceName, as_json: AsJson = False) -> None:
    """Have a worker go on with a paused reading."""
    await _order(source, Sources.resume, as_json)


@commands.command()
async def cancel(source: SourceName, as_json: AsJson = False) -> None:
    """End a reading; what it has learnt stays."""
    await _order(source, Sources.cancel, as_json)


async def _order(named: str, order: Order, as_json: bool) -> None:
    from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue

    async with open_installation() as (base, actor), DbosJobQueue(base.settings.job_queue_url) as jobs:
        source = await meant_source(base, actor, named)
        now = await order(Sources(base.record, jobs, page_scope_on(base)), actor, source.id)
    if as_json:
        print_json({"run_id": now.id, "state": now.state.value, "counts": now.counts})
    else:
        out.print(f"The reading is {now.state.value}: {in_words(now.counts)}.")
