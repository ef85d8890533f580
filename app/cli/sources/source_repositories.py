"""`docent source add-git`: an agent learns from the Markdown of a Git repository."""

from typing import Annotated
from urllib.parse import urlsplit

import typer

from app.bootstrap.infrastructure import open_infrastructure
from app.bootstrap.knowledge import open_knowledge, page_scope_on
from app.cli.local_operator import local_operator
from app.cli.sources.commands import commands
from app.cli.sources.run_now import agent_for, run_now
from app.cli.terminal import AgentName, AsJson, fail, run, settings_for
from app.core.errors import InvalidInput
from app.settings import Settings
from app.sources.records.sources import SourceRecords
from app.sources.source import Source, SourceConfig, SourceKind
from app.sources.source_access import AccessKind, SourceAccess
from app.sources.source_accesses import SourceAccesses
from app.sources.source_rules import check_source
from app.store.transaction import Transaction


@commands.command("add-git")
def add_git(
    url: Annotated[str, typer.Argument(help="Where the repository is cloned from, by https://.")],
    branch: Annotated[str, typer.Option(help="A branch or tag; else the repository's own.")] = "",
    folder: Annotated[str, typer.Option(help="Only what lies below it, such as docs.")] = "",
    page_url: Annotated[
        str,
        typer.Option(
            help="Page of a file, such as https://docs.example.com/{path_without_suffix}; else where the "
            "repository's website shows the file."
        ),
    ] = "",
    include: Annotated[list[str] | None, typer.Option(help="Only paths like this, such as '/docs/*'.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No paths like this, such as '*/_*'.")] = None,
    user: Annotated[str, typer.Option(help="Who the token belongs to, where the host asks.")] = "x-access-token",
    asks_token: Annotated[bool, typer.Option("--token", help="Ask for the token of a private repository.")] = False,
    agent: AgentName = None,
    name: Annotated[str, typer.Option(help="What the source is called; else as the repository is.")] = "",
    allow: Annotated[
        str | None, typer.Option(help="Private endpoints to read all the same, IP:PORT, comma separated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Learn from the Markdown files of a Git repository. Repeat it after changes: it reads those alone."""
    named = name or urlsplit(url).path.strip("/").removesuffix(".git") or url
    config = SourceConfig(
        SourceKind.GIT,
        named,
        url,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        page_url=page_url,
        branch=branch,
        folder=folder,
    )
    token = typer.prompt("Token", hide_input=True, err=True) if asks_token else ""
    access = SourceAccess(AccessKind.BASIC, user, token) if token else None
    run(_add_git(settings_for(crawl_allow=allow), config, access, agent, as_json))


async def _add_git(
    settings: Settings, config: SourceConfig, access: SourceAccess | None, named: str | None, as_json: bool
) -> None:
    async with open_infrastructure(settings) as base, open_knowledge(base) as knowledge:
        try:
            check_source(config)
            page_scope_on(base).check(config)
        except InvalidInput as error:
            fail(str(error), 2)
        actor = await local_operator(base)
        agent = await agent_for(base, knowledge, actor, named, config.name)

        def work(tx: Transaction) -> Source:
            for source in SourceRecords(tx).of_agent(agent.id):
                if (source.config.kind, source.config.url) == (config.kind, config.url):
                    return SourceRecords(tx).save(agent.id, source.id, config)
            return SourceRecords(tx).create(agent.id, config)

        source = await base.record.of_workspace(actor.workspace_id).write(work)
        if access is not None:
            await SourceAccesses(base.record).set(actor, source.id, access)
        reading = await run_now(base, knowledge, actor, source, as_json)
    if reading.problem is not None:
        fail(f"{config.url} was not read: {reading.problem.rstrip('.')}.")
