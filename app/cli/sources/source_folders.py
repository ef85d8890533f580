"""`docent source add-folder`: an agent learns from a folder of Markdown files."""

import json
from pathlib import Path
from typing import Annotated, Final
from uuid import UUID

import typer

from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.cli.local_operator import local_operator
from app.cli.sources.commands import commands
from app.cli.sources.markdown_folder import read_folder
from app.cli.sources.run_now import agent_for, run_now
from app.cli.terminal import AgentName, AsJson, fail, settings_for
from app.core.errors import InvalidInput
from app.core.field_rules import check_http_url
from app.sources.document_batches import MAX_LINES, DocumentBatches
from app.sources.records.given_documents import GivenDocumentRecords
from app.sources.records.sources import SourceRecords
from app.sources.source import Source, SourceConfig, SourceKind
from app.store.transaction import Transaction

_SHOWN: Final = 10  # refused files


@commands.command("add-folder")
async def add_folder(
    path: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A folder of Markdown files.")],
    url: Annotated[str, typer.Option(help="Where visitors find the pages: what their slugs and paths stand below.")],
    named: AgentName = None,
    name: Annotated[str, typer.Option(help="What the source is called; else the folder's name.")] = "",
    as_json: AsJson = False,
) -> None:
    """Learn from a folder of Markdown files with front matter (title, date, slug). Repeat it after changes: files that
    have left are forgotten."""
    name = name or path.resolve().name
    try:
        check_http_url("--url", url)
        files = list(read_folder(path, url))
    except InvalidInput as error:
        fail(str(error), 2)
    if not files:
        fail(f"There is no Markdown file in {path}.", 2)
    async with open_infrastructure(settings_for()) as base, open_knowledge(base) as knowledge:
        actor = await local_operator(base)
        agent = await agent_for(base, knowledge, actor, named, name)
        source = await _source(base, agent.id, name)
        known = await base.record.of_agent(source.agent_id).read(lambda tx: GivenDocumentRecords(tx).urls(source.id))
        left = set(known) - {file.told["url"] for file in files}
        told = [file.told for file in files] + [{"url": gone, "delete": True} for gone in sorted(left)]
        refused: list[str] = []
        for start in range(0, len(told), MAX_LINES):
            lines = "\n".join(json.dumps(each) for each in told[start : start + MAX_LINES])
            receipt = await DocumentBatches(base.record, None).put(actor, source.id, lines)
            refused += [
                f"{files[start + each.line - 1].path.relative_to(path)}: {each.reason}"
                for each in receipt.results
                if each.result == "refused"
            ]
        await run_now(base, knowledge, actor, source, as_json)
    if refused:
        more = f"\nand {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
        fail("\n".join(refused[:_SHOWN]) + more, 2)


async def _source(base: Infrastructure, agent_id: UUID, name: str) -> Source:
    """The agent's source of documents of that name, made on first sight."""

    def work(tx: Transaction) -> Source:
        for source in SourceRecords(tx).of_agent(agent_id):
            if source.config.kind is SourceKind.DOCUMENTS and source.config.name == name:
                return source
        return SourceRecords(tx).create(agent_id, SourceConfig(SourceKind.DOCUMENTS, name))

    return await base.record.of_agent(agent_id).write(work)
