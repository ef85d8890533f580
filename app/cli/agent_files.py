"""`docent agent export`, `diff` and `apply`: an agent as one file, between installations and beside one's code."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.agents.agent import Agent, AgentConfig
from app.agents.model_endpoints import ChatModelNames
from app.bootstrap.infrastructure import Stored
from app.cli.agents import Force, commands, publish_version
from app.cli.local_operator import known_agents, meant_agent, open_installation
from app.cli.sources.jobs_here import JobsHere, agents_here
from app.cli.terminal import AgentName, AsJson, err, fail, out, print_json
from app.core.actor import Actor
from app.core.errors import InvalidInput

if TYPE_CHECKING:
    from app.agent_files.agent_file import FileChange
    from app.agent_files.agent_files import AgentFiles
    from app.agent_files.api.file_models import AgentFileModel

_SHOWN_CHARS = 80
_SIGNS = {"added": "+", "changed": "~", "removed": "-", "kept": " "}
_KEPT = "  (not in the file; kept)"

File = Annotated[
    str, typer.Argument(metavar="FILE", help="YAML or JSON, as `docent agent export` writes it; - for standard input.")
]
Prune = Annotated[
    bool,
    typer.Option("--prune", help="Remove entries that are not in the file, except sources."),
]


@commands.command()
async def export(
    named: AgentName = None,
    live: Annotated[bool, typer.Option("--live", help="Export the published settings instead of the draft.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print an agent as one YAML file: settings, curated answers, golden questions, saved replies, sources, actions."""
    from app.agent_files.api.file_models import AgentFileOut
    from app.agent_files.api.file_text import written

    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        contents = await _files(base).contents(actor, agent.id, "live" if live else "draft")
    if as_json:
        print_json(AgentFileOut.showing(contents).model_dump(mode="json"))
    else:
        typer.echo(written(contents), nl=False)


@commands.command()
async def diff(file: File, named: AgentName = None, prune: Prune = False, as_json: AsJson = False) -> None:
    """Show what a file would change in an agent's draft. Exit code 1 if there are changes."""
    from app.agent_files.api.file_text import read

    model = read(_text_of(file))
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        changes = await _files(base).compare(actor, agent.id, model.for_agent(actor, agent.id), prunes=prune)
    _print_changes(changes, as_json)
    if any(each.kind != "kept" for each in changes):
        raise typer.Exit(1)


@commands.command()
async def apply(
    file: File,
    named: AgentName = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes without making them.")] = False,
    publish: Annotated[
        bool, typer.Option("--publish", help="Publish the draft, and give visitors the file's curated answers.")
    ] = False,
    force: Force = False,
    prune: Prune = False,
    create: Annotated[bool, typer.Option("--create", help="Create the agent if none has the file's name.")] = False,
    as_json: AsJson = False,
) -> None:
    """Apply a file to an agent. Without --publish, visitors see no change."""
    from app.agent_files.api.file_text import read

    model = read(_text_of(file))
    async with open_installation() as (base, actor):
        agent = await _meant_or_made(base, actor, named, model, create and not dry_run)
        wanted, files = model.for_agent(actor, agent.id), _files(base)
        if publish and not dry_run:
            go_live = partial(publish_version, base.settings, str(agent.id), force)
            changes, _ = await files.apply_live(actor, agent.id, wanted, go_live, prunes=prune)
        else:
            changes = await (files.compare if dry_run else files.apply)(actor, agent.id, wanted, prunes=prune)
    _print_changes(changes, as_json, agent_id=str(agent.id), is_dry_run=dry_run, is_published=publish and not dry_run)
    if as_json or dry_run:
        return
    done = [each for each in changes if each.kind != "kept"]
    if not done:
        err.print(f"{agent.draft.name} already matches the file.", markup=False)
    elif not publish:
        err.print("Draft and operators' data changed. Use --publish to give visitors the changes.")
    if any(each.part == "sources" and each.kind == "added" for each in done):
        err.print("New sources are not read yet. Read them on the Sources page, or wait for their schedule.")


def _text_of(file: str) -> str:
    try:
        return (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode("utf-8-sig")
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}.", 2)
    except UnicodeDecodeError:
        fail(f"{file} is not UTF-8 text.", 2)


async def _meant_or_made(
    base: Stored, actor: Actor, named: str | None, model: "AgentFileModel", creates: bool
) -> Agent:
    name = model.settings.name if "name" in model.settings.model_fields_set else None
    if not creates:
        return await meant_agent(base, actor, named)
    if name is None:
        raise InvalidInput("settings.name", "An agent needs a name. Add one to the file, or omit --create.")
    if named is None and not any(name == each.draft.name for each in await known_agents(base, actor)):
        return await agents_here(base).create(actor, AgentConfig(name=name))
    return await meant_agent(base, actor, named or name)


def _files(base: Stored) -> "AgentFiles":
    from app.agent_files.agent_files import AgentFiles
    from app.bootstrap.adapters import configured_action_hosts
    from app.bootstrap.knowledge import page_scope_on
    from app.kit.pattern_matcher import PatternMatcher
    from app.sources.cron_calendar import CronCalendar
    from app.sources.sources import Schedules, Sources

    sources = Sources(base.record, JobsHere(base.settings), page_scope_on(base))
    hosts = configured_action_hosts(base.settings)
    schedules, names = Schedules(base.record, CronCalendar(), base.clock), ChatModelNames(base.settings.models)
    return AgentFiles(base.record, PatternMatcher(), sources, schedules, hosts, names)


def _print_changes(changes: "list[FileChange]", as_json: bool, **fields: Any) -> None:
    if as_json:
        from app.agent_files.api.file_models import FileChangeOut

        print_json({"changes": [FileChangeOut.showing(each).model_dump(mode="json") for each in changes], **fields})
        return
    for change in changes:
        kept = _KEPT if change.kind == "kept" else ""
        out.print(f"{_SIGNS[change.kind]} {change.part}: {_short(change.title)}{kept}", **_PLAIN)
        for field in change.fields:
            out.print(f"    {field.name}: {_short(field.before)} -> {_short(field.after)}", **_PLAIN)


_PLAIN: Any = {"markup": False, "highlight": False, "soft_wrap": True}


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARS else f"{line[:_SHOWN_CHARS]}..."
