"""`docent source show`, `pages` and `delete`: one source, what became of its pages, and its end."""

from dataclasses import asdict
from typing import Annotated

import typer

from app.cli.deleting import confirm, delete
from app.cli.local_operator import meant_source, open_installation
from app.cli.sources.commands import SourceName, commands
from app.cli.sources.crawl_progress import in_words
from app.cli.terminal import AsJson, err, out, print_json, table
from app.core.list_page import PageRequest
from app.sources.deletions.deletion import DeletedKind
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.source import PageStatus

_AT_ONCE = 200


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
    shown = table("", "")
    for name, value in ({"id": source.id, "agent_id": source.agent_id} | asdict(source.config)).items():
        shown.add_row(name, ", ".join(map(str, value)) if isinstance(value, tuple) else str(value))
    ended = f"{run_.stop_reason or run_.state.value} {in_words(run_.counts)}" if run_ else "never read"
    shown.add_row("reading", ended)
    out.print(shown)


@commands.command()
async def pages(
    named: SourceName,
    status: Annotated[str | None, typer.Option(help="Only pages that ended so, such as not_found.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what became of the pages in the latest reading."""
    async with open_installation() as (base, actor):
        source = await meant_source(base, actor, named)
        found: list[PageStatus] = []
        page, run = PageRequest(limit=_AT_ONCE), source.run
        while run is not None:
            part = await base.record.of_agent(run.agent_id).read(
                lambda tx: CrawlPageRecords(tx).pages(run.id, page, status)
            )
            found += part.items
            if part.next_cursor is None:
                break
            page = PageRequest(limit=_AT_ONCE, cursor=part.next_cursor)
    if as_json:
        rows = [{"url": p.url, "status": p.status, "reason": p.reason, "chunks": p.chunks} for p in found]
        print_json({"source_id": source.id, "pages": rows})
        return
    shown = table("page", "outcome", "why")
    for each in found:
        shown.add_row(each.url, each.status, each.reason)
    out.print(shown)


@commands.command("delete")
async def delete_(
    named: SourceName, yes: Annotated[bool, typer.Option("--yes", help="Do not ask once more.")] = False
) -> None:
    """Delete a source with all that was learnt from it."""
    async with open_installation() as (base, actor):
        source = await meant_source(base, actor, named)
        confirm(f"the source {source.config.name} with all that was learnt from it", yes)
        deleted = await delete(base, actor, DeletedKind.SOURCE, source.id)
    err.print(f"{source.config.name} is deleted with {deleted.before.versions} page versions.", markup=False)
