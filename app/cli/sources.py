"""`docent source ...`: what an agent learns from, and holding its reading."""

from collections.abc import Awaitable, Callable
from typing import Annotated
from uuid import UUID

import typer
from rich.table import Table

from app.cli.agents import AgentId
from app.cli.crawl_progress import in_words
from app.cli.local_operator import local_operator, meant_agent
from app.cli.terminal import AsJson, out, print_json, run, settings_for
from app.domain.source import CrawlRun
from app.operating.actor import Actor
from app.operating.sources import Sources
from app.rooms import open_stored, page_scope_on
from app.settings import Settings

commands = typer.Typer(help="Sources: what an agent learns from.", no_args_is_help=True, add_completion=False)

SourceId = Annotated[UUID, typer.Argument(help="The id that `docent source list` shows.")]
Order = Callable[[Sources, Actor, UUID], Awaitable[CrawlRun]]


@commands.command("list")
def list_(agent: AgentId = None, as_json: AsJson = False) -> None:
    """Show an agent's sources, each with its latest reading."""
    run(_list(settings_for(), agent, as_json))


@commands.command()
def pause(source_id: SourceId, as_json: AsJson = False) -> None:
    """Let a reading rest; it keeps its place."""
    run(_order(settings_for(), source_id, Sources.pause, as_json))


@commands.command()
def resume(source_id: SourceId, as_json: AsJson = False) -> None:
    """Have a worker go on with a paused reading."""
    run(_order(settings_for(), source_id, Sources.resume, as_json))


@commands.command()
def cancel(source_id: SourceId, as_json: AsJson = False) -> None:
    """End a reading; what it has learnt stays."""
    run(_order(settings_for(), source_id, Sources.cancel, as_json))


async def _list(settings: Settings, agent_id: UUID | None, as_json: bool) -> None:
    async with open_stored(settings) as base:
        agent = await meant_agent(base, await local_operator(base), agent_id)
        async with base.record.read() as records:
            sources = await records.sources.of_agent(agent.id)
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
    table = Table("id", "kind", "name", "reading", "pages")
    for source in sources:
        reading, counts = (source.run.state.value, source.run.counts) if source.run else ("never read", {})
        table.add_row(str(source.id), source.config.kind.value, source.config.name, reading, in_words(counts))
    out.print(table)


async def _order(settings: Settings, source_id: UUID, order: Order, as_json: bool) -> None:
    from app.adapters.dbos_job_queue import DbosJobQueue

    async with open_stored(settings) as base, DbosJobQueue(settings.job_queue_url) as jobs:
        now = await order(Sources(base.record, jobs, page_scope_on(base)), await local_operator(base), source_id)
    if as_json:
        print_json({"run_id": now.id, "state": now.state.value, "counts": now.counts})
    else:
        out.print(f"The reading is {now.state.value}: {in_words(now.counts)}.")
