"""`docent source add-file`: an agent learns from a file of this machine."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import open_knowledge, source_files_on
from app.cli.local_operator import local_operator
from app.cli.sources.commands import commands
from app.cli.sources.run_now import agent_for, run_now
from app.cli.terminal import AgentName, AsJson, settings_for
from app.core.source_file import Upload
from app.sources.files.records import FileRecords
from app.sources.records.sources import SourceRecords
from app.sources.source import SourceKind
from app.sources.source_editing import SourceEditing
from app.store.transaction import Transaction


@commands.command("add-file")
async def add_file(
    path: Annotated[
        Path,
        typer.Argument(
            exists=True, dir_okay=False, readable=True, help="Markdown, HTML, text, PDF, DOCX, PPTX, XLSX or CSV."
        ),
    ],
    named: AgentName = None,
    name: Annotated[str, typer.Option(help="Shown in citations; else the file's own title.")] = "",
    url: Annotated[str, typer.Option(help="Where visitors find the file, for citations to lead to.")] = "",
    as_json: AsJson = False,
) -> None:
    """Learn from a file. One of the same name takes the place of what the agent has learnt from it."""
    upload = Upload(path.name, path.read_bytes())
    async with open_infrastructure(settings_for()) as base, open_knowledge(base) as knowledge:
        actor = await local_operator(base)
        files = source_files_on(base, knowledge.files)
        agent = await agent_for(base, knowledge, actor, named, name or path.stem)
        known = await _known(base, agent.id, path.name)
        if known is None:
            stored = await files.add(actor, agent.id, upload, name, url)
        else:
            stored = await files.replace(actor, known, upload)
            if name or url:
                config = stored.source.config
                wanted = replace(config, name=name or config.name, url=url or config.url)
                source = await SourceEditing(base.record).change(actor, known, lambda _: wanted)
                stored = replace(stored, source=source)
        if (await run_now(base, knowledge, actor, stored.source, as_json)).problem is not None:
            raise typer.Exit(1)


async def _known(base: Infrastructure, agent_id: UUID, name: str) -> UUID | None:
    """The agent's source whose file has that name."""

    def work(tx: Transaction) -> UUID | None:
        for source in SourceRecords(tx).of_agent(agent_id):
            if source.config.kind is SourceKind.FILE and FileRecords(tx).facts(source.id).name == name:
                return source.id
        return None

    return await base.record.of_agent(agent_id).read(work)
