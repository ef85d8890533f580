"""`docent source show`, `pages` and `delete`: one source, what became of its pages, and its end."""

from dataclasses import asdict
from typing import Annotated

import typer

from app.bootstrap.infrastructure import open_stored
from app.cli.deleting import confirm, delete
from app.cli.local_operator import local_operator, meant_source
from app.cli.sources.commands import SourceName, commands
from app.cli.sources.crawl_progress import in_words
from app.cli.terminal import AsJson, err, out, print_json, run, settings_for, table
from app.core.list_page import PageRequest
from app.settings import Settings
from app.sources.deletions.deletion import DeletedKind
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.source import PageStatus

_AT_ONCE = 200


@commands.command()
def show(source: SourceName, as_json: AsJson = False) -> None:
    """Show a source: its settings and its latest reading."""
    run(_show(settings_for(), source, as_json))


@commands.command()
def pages(
    source: SourceName,
    status: Annotated[str | None, typer.Option(help="Only pages that ended so, such as not_found.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what became of the pages in the latest reading."""
    run(_pages(settings_for(), source, status, as_json))


@commands.command("delete")
def delete_(
    source: SourceName, yes: Annotated[bool, typer.Option("--yes", help="Do not ask once more.")] = False
) -> None:
    """Delete a source with all that was learnt from it."""
    run(_delete(settings_for(), source, yes))


async def _show(settings: Settings, named: str, as_json: bool) -> None:
    async with open_stored(settings) as base:
        source = await meant_source(base, await local_operator(base), named)
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


async def _pages(settings: Settings, named: str, status: str | None, as_json: bool) -> None:
    async with open_stored(settings) as base:
        source = await meant_source(base, await local_operator(base), named)
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


async def _delete(settings: Settings, named: str, is_sure: bool) -> None:
    async with open_stored(settings) as base:
        actor = await local_operator(base)
        source = await meant_source(base, actor, named)
        confirm(f"the source {source.config.name} with all that was learnt from it", is_sure)
        deleted = await delete(base, actor, DeletedKind.SOURCE, source.id)
    err.print(f"{source.config.name} is deleted with {deleted.before.versions} page versions.", markup=False)
