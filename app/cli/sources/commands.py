"""`docent source ...`: lists, shows, pauses, resumes, cancels, deletes and discovers sources."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

import typer

from app.bootstrap.adapters import open_site_discovery
from app.bootstrap.knowledge import page_scope_on
from app.cli.local_operator import meant_agent, meant_source, open_installation
from app.cli.sources.crawl_progress import in_words
from app.cli.sources.jobs_here import Sure, confirm, delete
from app.cli.sources.website_address import check_website, website_address
from app.cli.terminal import AgentName, Allow, AsJson, Commands, err, out, print_json, run, settings_for, table
from app.core.actor import Actor
from app.core.list_page import collected
from app.settings import Settings
from app.sources.deletions.deletion import DeletedKind
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.source import CrawlRun, PageStatus
from app.sources.sources import Sources

commands = Commands(help="Sources: what an agent answers from.")

SourceName = Annotated[str, typer.Argument(metavar="SOURCE", help="Its name, address or id, or the beginning of one.")]
Order = Callable[[Sources, Actor, UUID], Awaitable[CrawlRun]]


@commands.command("list")
async def list_(named: AgentName = None, as_json: AsJson = False) -> None:
    """List an agent's sources, each with its latest reading."""
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        sources = await base.record.of_workspace(agent.workspace_id).read(
            lambda tx: SourceRecords(tx).sources(agent.id)
        )
    rows: list[dict[str, Any]] = [
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
    shown = (
        (row | {"state": row["state"] or "never read", "counts": in_words(row["counts"])}).values() for row in rows
    )
    out.print(table(("id", "kind", "name", "address", "reading", "pages"), shown))


@commands.command()
async def pause(source: SourceName, as_json: AsJson = False) -> None:
    """Pause a reading, to resume it later."""
    await _order(source, Sources.pause, as_json)


@commands.command()
async def resume(source: SourceName, as_json: AsJson = False) -> None:
    """Resume a paused reading on a worker."""
    await _order(source, Sources.resume, as_json)


@commands.command()
async def cancel(source: SourceName, as_json: AsJson = False) -> None:
    """Cancel a reading. What it has read so far is kept."""
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


@commands.command()
async def show(named: SourceName, as_json: AsJson = False) -> None:
    """Show a source: its settings and its latest reading."""
    async with open_installation() as (base, actor):
        source = await meant_source(base, actor, named)
    run_ = source.run
    reading = (
        {"state": run_.state.value, "stop_reason": run_.stop_reason, "counts": run_.counts, "ended_at": run_.ended_at}
        if run_
        else None
    )
    if as_json:
        print_json({"id": source.id, "agent_id": source.agent_id, **asdict(source.config), "reading": reading})
        return
    ended = f"{run_.stop_reason or run_.state.value} {in_words(run_.counts)}" if run_ else "never read"
    facts = {"id": source.id, "agent_id": source.agent_id} | asdict(source.config) | {"reading": ended}
    cells = ((name, ", ".join(map(str, v)) if isinstance(v, tuple) else str(v)) for name, v in facts.items())
    out.print(table(("", ""), cells))


@commands.command()
async def pages(
    named: SourceName,
    status: Annotated[str | None, typer.Option(help="Only pages with this status, such as not_found.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the pages of the latest reading with their status."""
    async with open_installation() as (base, actor):
        source = await meant_source(base, actor, named)
        found: list[PageStatus] = []
        if (run := source.run) is not None:
            own = base.record.of_agent(run.agent_id)
            found = await collected(lambda page: own.read(lambda tx: CrawlPageRecords(tx).pages(run.id, page, status)))
    if as_json:
        rows = [{"url": p.url, "status": p.status, "reason": p.reason, "chunks": p.chunks} for p in found]
        print_json({"source_id": source.id, "pages": rows})
        return
    out.print(table(("page", "outcome", "why"), ((page.url, page.status, page.reason) for page in found)))


@commands.command("delete")
async def delete_(named: SourceName, yes: Sure = False) -> None:
    """Delete a source and everything read from it."""
    async with open_installation() as (base, actor):
        source = await meant_source(base, actor, named)
        confirm(f"the source {source.config.name} and everything read from it", yes)
        deleted = await delete(base, actor, DeletedKind.SOURCE, source.id)
    err.print(f"Deleted {source.config.name} and {deleted.before.versions} page versions.", markup=False)


@commands.command()
def discover(
    url: Annotated[str, typer.Argument(help="A website's root, or any page of it.")],
    allow: Allow = None,
    as_json: AsJson = False,
) -> None:
    """List a website's sitemaps, feeds and links with page counts, without storing anything."""
    run(_discover(settings_for(crawl_allow=allow), website_address(url), as_json))


async def _discover(settings: Settings, url: str, as_json: bool) -> None:
    check_website(url, settings.crawl_allow)
    async with open_site_discovery(settings) as discovery:
        found = await discovery.look(url)
    if as_json:
        print_json(asdict(found))
    else:
        shown = table(("kind", "address", "pages", "title"), title=found.title or found.url)
        for offer in found.offers:
            pages = f"{offer.pages}+" if offer.has_more else str(offer.pages)
            shown.add_row(offer.kind.value, offer.url, pages, offer.title)
        out.print(shown if found.offers else "Nothing was found.")
        for problem in found.problems:
            out.print(f"{problem.url}: {problem.reason}", highlight=False)
        if not found.is_complete:
            out.print("The search timed out, so there may be more.")
    if not found.offers:
        raise typer.Exit(1)
