"""`docent agent ...`: the few things about agents that one wants at hand; the API does the rest."""

from dataclasses import replace
from typing import Annotated

import typer

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.records.agents import AgentRecords
from app.bootstrap.infrastructure import open_stored
from app.cli.local_operator import known_agents, local_operator, meant_agent
from app.cli.sources.jobs_here import JobsHere
from app.cli.terminal import AgentName, AsJson, err, fail, out, print_json, run, settings_for, table
from app.core.errors import InvalidInput, PublishGateFailed
from app.core.list_page import PageRequest
from app.settings import Settings

_VERSIONS = 100

commands = typer.Typer(help="Agents: what is embedded in a website.", no_args_is_help=True, add_completion=False)


@commands.command()
def create(
    name: Annotated[str, typer.Argument(help="What visitors see.")],
    origin: Annotated[
        list[str] | None, typer.Option(help="A website that may embed it, https://www.example.com; repeat it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make an agent and publish it."""
    run(_create(settings_for(), AgentConfig(name=name, allowed_origins=tuple(origin or ())), as_json))


@commands.command("list")
def list_(as_json: AsJson = False) -> None:
    """Show the agents."""
    run(_list(settings_for(), as_json))


@commands.command()
def publish(
    agent: Annotated[str, typer.Argument(help="Its name or id, or how one begins.")],
    force: Annotated[bool, typer.Option("--force", help="Also where the agent's publish gate refuses.")] = False,
) -> None:
    """Make the draft what visitors get."""
    run(publish_version(settings_for(), agent, force))


@commands.command()
def rollback(
    agent: Annotated[str, typer.Argument(help="Its name or id, or how one begins.")],
    version: Annotated[int, typer.Argument(help="Its number, as `docent agent versions` shows it.", min=1)],
    force: Annotated[bool, typer.Option("--force", help="Also where the agent's publish gate refuses.")] = False,
) -> None:
    """Publish the settings of an earlier version as a new one; the draft becomes the same."""
    run(publish_version(settings_for(), agent, force, version))


@commands.command()
def versions(
    agent: Annotated[str, typer.Argument(help="Its name or id, or how one begins.")],
    as_json: AsJson = False,
) -> None:
    """Show what was published, newest first."""
    run(_versions(settings_for(), agent, as_json))


@commands.command()
def allow(
    origin: Annotated[str, typer.Argument(help="A website that may embed the agent, https://www.example.com.")],
    agent: AgentName = None,
) -> None:
    """Let one more website embed the agent, and publish."""
    run(_allow(settings_for(), origin, agent))


@commands.command("import-golden")
def import_golden(
    file: Annotated[typer.FileText, typer.Argument(metavar="FILE.csv", help="Columns: question, pages, language.")],
    agent: AgentName = None,
) -> None:
    """Add golden questions: which pages must be found, and what the answer must hold. `docent eval --agent ID` asks
    them."""
    run(_import_golden(settings_for(), file.read(), agent))


@commands.command()
def snippet(
    base: Annotated[str, typer.Option(help="Where this Docent can be reached, https://docent.example.com.")],
    agent: AgentName = None,
    pinned: Annotated[
        bool, typer.Option("--pinned", help="This build of the widget and no other, checked by the browser.")
    ] = False,
) -> None:
    """Print the script tag to paste into a website."""
    run(_snippet(settings_for(), base, agent, pinned))


async def _import_golden(settings: Settings, text: str, named: str | None) -> None:
    from app.kit.pattern_matcher import PatternMatcher
    from app.quality.golden_questions import GoldenQuestions

    async with open_stored(settings) as base:
        actor = await local_operator(base)
        agent = await meant_agent(base, actor, named)
        try:
            receipt = await GoldenQuestions(base.record, PatternMatcher()).import_csv(actor, agent.id, text)
        except InvalidInput as error:
            fail(str(error), 2)
    out.print(f"{receipt.added} golden questions added, {receipt.changed} changed.", highlight=False)


async def _create(settings: Settings, config: AgentConfig, as_json: bool) -> None:
    async with open_stored(settings) as base:
        actor = await local_operator(base)
        agents = Agents(base.record, JobsHere(settings))
        agent = await agents.create(actor, config)
        await agents.publish(actor, agent.id)
    if as_json:
        print_json({"id": agent.id, "name": agent.draft.name})
        return
    out.print(str(agent.id), highlight=False)
    if not config.allowed_origins:
        err.print("No website may embed it yet: `docent agent allow https://www.example.com`.")


async def _list(settings: Settings, as_json: bool) -> None:
    async with open_stored(settings) as base:
        agents = await known_agents(base, await local_operator(base))
    if as_json:
        rows = [{"id": a.id, "name": a.draft.name, "live_version": a.live_version} for a in agents]
        print_json({"agents": rows})
        return
    shown = table("id", "name", "live version", "websites")
    for agent in agents:
        live = str(agent.live_version) if agent.live_version else "never published"
        shown.add_row(str(agent.id), agent.draft.name, live, ", ".join(agent.draft.allowed_origins) or "none")
    out.print(shown)


async def _versions(settings: Settings, named: str, as_json: bool) -> None:
    async with open_stored(settings) as base:
        actor = await local_operator(base)
        agents = Agents(base.record, JobsHere(settings))
        agent = await meant_agent(base, actor, named)
        live = agent.live_version
        found = (await agents.versions(actor, agent.id, PageRequest(_VERSIONS))).items
    if as_json:
        rows = [{"number": v.number, "published_at": v.published_at, "is_live": v.number == live} for v in found]
        print_json({"versions": rows})
        return
    shown = table("version", "published", "")
    for each in found:
        shown.add_row(str(each.number), f"{each.published_at:%Y-%m-%d %H:%M}", "live" if each.number == live else "")
    out.print(shown)


async def publish_version(settings: Settings, named: str, force: bool, former_version: int | None = None) -> None:
    """The draft, or the settings of a former version."""
    from app.bootstrap.answering import open_answering, trial_search
    from app.bootstrap.infrastructure import open_infrastructure
    from app.quality.golden_runs import GoldenRuns
    from app.quality.publishing import Publishing

    async with open_infrastructure(settings) as base, open_answering(base) as answering:
        actor = await local_operator(base)
        runs = GoldenRuns(base.record, trial_search(answering), base.clock)
        publishing = Publishing(Agents(base.record, JobsHere(settings)), runs)
        try:
            agent = await meant_agent(base, actor, named)
            if former_version is None:
                published = await publishing.publish(actor, agent.id, force=force)
            else:
                published = await publishing.roll_back(actor, agent.id, former_version, force=force)
        except PublishGateFailed as error:
            fail(str(error), 1)
    err.print(f"Version {published.version.number} is live.")
    if published.compared and published.compared.lost:
        err.print(f"It loses golden questions: {', '.join(published.compared.lost)}")


async def _allow(settings: Settings, origin: str, named: str | None) -> None:
    async with open_stored(settings) as base:
        actor = await local_operator(base)
        agent = await meant_agent(base, actor, named)
        agents = Agents(base.record, JobsHere(settings))
        origins = (*agent.draft.allowed_origins, origin)
        await agents.change_draft(actor, agent.id, lambda draft: replace(draft, allowed_origins=origins))
        await agents.publish(actor, agent.id)
    err.print(f"{origin} may embed {agent.draft.name}.")


async def _snippet(settings: Settings, base_url: str, named: str | None, pinned: bool) -> None:
    from app.agents.pages.embed_tag import embed_tag, pinned_embed_tag
    from app.core.field_rules import check_http_url
    from app.web.widget_script import BuiltFile, built_widget

    check_http_url("base", base_url)
    async with open_stored(settings) as base:
        agent = await meant_agent(base, await local_operator(base), named)
        theme = agent.draft.theme
        if agent.live_version is not None:
            theme = await base.record.of_workspace(agent.workspace_id).read(
                lambda tx: AgentRecords(tx).live(agent.id).config.theme
            )
    if pinned:
        tag = pinned_embed_tag(base_url, agent.id, BuiltFile.read(built_widget() / "widget.js"), theme)
    else:
        tag = embed_tag(base_url, agent.id, theme)
    out.print(tag, highlight=False, soft_wrap=True, markup=False)
