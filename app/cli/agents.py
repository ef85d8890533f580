"""`docent agent ...`: frequent tasks about agents, with the same settings and checks as the API."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from app.agents.agent import AgentConfig
from app.agents.model_endpoints import ChatModelNames
from app.agents.records import AgentRecords
from app.answers.curated.records import CuratedAnswerRecords
from app.cli.local_operator import known_agents, local_operator, meant_agent, open_installation
from app.cli.sources.jobs_here import Sure, agents_here, confirm, delete
from app.cli.terminal import AgentArgument, AgentName, AsJson, Commands, err, fail, out, print_json, settings_for, table
from app.core.errors import InvalidInput, PublishGateFailed
from app.core.list_page import PageRequest
from app.settings import Settings
from app.sources.deletions.deletion import DeletedKind

if TYPE_CHECKING:
    from pydantic import BaseModel


_VERSIONS = 100

commands = Commands(help="Agents: what you embed in a website.")
Force = Annotated[bool, typer.Option("--force", help="Publish even if the agent's publish gate refuses.")]


@commands.command()
async def create(
    name: Annotated[str, typer.Argument(help="The name that visitors see.")],
    origin: Annotated[
        list[str] | None, typer.Option(help="A website that may embed it, https://www.example.com. May be repeated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create an agent and publish it."""
    config = AgentConfig(name=name, allowed_origins=tuple(origin or ()))
    async with open_installation() as (base, actor):
        agents = agents_here(base)
        agent = await agents.create(actor, config)
        await agents.publish(actor, agent.id)
    if as_json:
        print_json({"id": agent.id, "name": agent.draft.name})
        return
    out.print(str(agent.id), highlight=False)
    if not config.allowed_origins:
        err.print("No website may embed it yet. Allow one with `docent agent allow https://www.example.com`.")


@commands.command("list")
async def list_(as_json: AsJson = False) -> None:
    """List the agents."""
    async with open_installation() as (base, actor):
        agents = await known_agents(base, actor)
    if as_json:
        rows = [
            {"id": a.id, "name": a.draft.name, "live_version": a.live_version, "paused_at": a.paused_at} for a in agents
        ]
        print_json({"agents": rows})
        return
    shown = table(("id", "name", "live version", "websites"))
    for agent in agents:
        live = str(agent.live_version) if agent.live_version else "never published"
        live += " (paused)" if agent.paused_at else ""
        shown.add_row(str(agent.id), agent.draft.name, live, ", ".join(agent.draft.allowed_origins) or "none")
    out.print(shown)


@commands.command()
async def publish(named: AgentArgument, force: Force = False) -> None:
    """Publish the draft."""
    await publish_version(settings_for(), named, force)


@commands.command()
async def rollback(
    named: AgentArgument,
    version: Annotated[int, typer.Argument(help="Its number, from `docent agent versions`.", min=1)],
    force: Force = False,
) -> None:
    """Publish the settings of an earlier version as a new one; the draft becomes the same."""
    await publish_version(settings_for(), named, force, version)


@commands.command()
async def versions(named: AgentArgument, as_json: AsJson = False) -> None:
    """List the published versions, newest first."""
    async with open_installation() as (base, actor):
        agents = agents_here(base)
        agent = await meant_agent(base, actor, named)
        live = agent.live_version
        found = (await agents.versions(actor, agent.id, PageRequest(_VERSIONS))).items
    if as_json:
        rows = [{"number": v.number, "published_at": v.published_at, "is_live": v.number == live} for v in found]
        print_json({"versions": rows})
        return
    shown = ((v.number, f"{v.published_at:%Y-%m-%d %H:%M}", "live" if v.number == live else None) for v in found)
    out.print(table(("version", "published", ""), shown))


@commands.command()
async def allow(
    origin: Annotated[str, typer.Argument(help="A website that may embed the agent, https://www.example.com.")],
    named: AgentName = None,
) -> None:
    """Allow another website to embed the agent, and publish."""
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        agents = agents_here(base)
        origins = (*agent.draft.allowed_origins, origin)
        await agents.change_draft(actor, agent.id, lambda draft: replace(draft, allowed_origins=origins))
        await agents.publish(actor, agent.id)
    err.print(f"{origin} may embed {agent.draft.name}.")


@commands.command("import-golden")
async def import_golden(
    file: Annotated[typer.FileText, typer.Argument(metavar="FILE.csv", help="Columns: question, pages, language.")],
    named: AgentName = None,
) -> None:
    """Add golden questions: the pages that must be found, and what the answer must contain. Ask them with
    `docent eval --agent ID`."""
    from app.kit.pattern_matcher import PatternMatcher
    from app.quality.golden_questions import GoldenQuestions

    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        try:
            receipt = await GoldenQuestions(base.record, PatternMatcher()).import_csv(actor, agent.id, file.read())
        except InvalidInput as error:
            fail(str(error), 2)
    out.print(f"Added {receipt.added} golden questions, changed {receipt.changed}.", highlight=False)


@commands.command()
async def snippet(
    base_url: Annotated[str, typer.Option("--base", help="The address of this Docent, https://docent.example.com.")],
    named: AgentName = None,
    pinned: Annotated[
        bool, typer.Option("--pinned", help="Pin this build of the widget; the browser verifies it.")
    ] = False,
) -> None:
    """Print the script tag to paste into a website, and a second one if the agent has invitations."""
    from app.agents.pages.embed_tag import embed_tags
    from app.core.field_rules import check_http_url
    from app.web.widget_script import built_widget

    check_http_url("base", base_url)
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        config = agent.draft
        if agent.live_version is not None:
            config = await base.record.of_workspace(agent.workspace_id).read(
                lambda tx: AgentRecords(tx).live(agent.id).config
            )
    out.print(
        embed_tags(base_url, agent.id, config, built_widget() if pinned else None),
        highlight=False,
        soft_wrap=True,
        markup=False,
    )


async def publish_version(settings: Settings, named: str, force: bool, former_version: int | None = None) -> None:
    """Publish the draft, or the settings of `former_version`."""
    from app.bootstrap.answering import open_answering
    from app.bootstrap.infrastructure import open_infrastructure
    from app.kit.pattern_matcher import PatternMatcher
    from app.quality.golden_runs import GoldenRuns
    from app.quality.publishing import Publishing
    from app.quality.trial_search import TrialSearch

    async with open_infrastructure(settings) as base, open_answering(base) as answering:
        actor = await local_operator(base)
        trials = TrialSearch(answering.playground, PatternMatcher())
        runs = GoldenRuns(base.record, trials, base.clock, ChatModelNames(settings.models))
        publishing = Publishing(agents_here(base), runs)
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
        err.print(f"The new version loses golden questions: {', '.join(published.compared.lost)}")


@commands.command()
async def curated(named: AgentName = None, as_json: AsJson = False) -> None:
    """List the agent's curated answers with their hits, the most used first."""
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        answers = await base.record.of_workspace(agent.workspace_id).read(
            lambda tx: sorted(CuratedAnswerRecords(tx).answers(agent.id), key=lambda answer: -answer.hits)
        )
    if as_json:
        rows = [
            {
                "id": str(answer.id),
                "trigger": answer.trigger.value,
                "pattern": answer.pattern,
                "priority": answer.priority,
                "is_on": answer.is_on,
                "hits": answer.hits,
                "last_hit_at": answer.last_hit_at and answer.last_hit_at.isoformat(),
                "expires_at": answer.expires_at and answer.expires_at.isoformat(),
            }
            for answer in answers
        ]
        print_json({"curated_answers": rows})
        return
    shown = table(("trigger", "pattern", "priority", "state", "hits", "last hit"))
    for answer in answers:
        last = answer.last_hit_at.strftime("%Y-%m-%d %H:%M") if answer.last_hit_at else "never"
        state = "on" if answer.is_on else "off"
        shown.add_row(answer.trigger.value, answer.pattern, str(answer.priority), state, str(answer.hits), last)
    out.print(shown)


Draft = Annotated[bool, typer.Option("--draft", help="Change only the draft; publish it with `docent agent publish`.")]


@commands.command("set")
async def set_(
    changes: Annotated[
        list[str],
        typer.Argument(metavar="KEY=VALUE", help="A setting of the API, such as retrieval.rerank_budget_ms=900."),
    ],
    named: AgentName = None,
    draft: Draft = False,
    as_json: AsJson = False,
) -> None:
    """Change settings of an agent, and publish them. A value is read as JSON if it is valid JSON, else as text."""
    await _change(named, settings_in(changes), draft, as_json)


@commands.command()
async def rename(
    named: AgentArgument, name: Annotated[str, typer.Argument(help="The name that visitors see.")], draft: Draft = False
) -> None:
    """Rename an agent, and publish it."""
    await _change(named, {"name": name}, draft, as_json=False)


@commands.command("delete")
async def delete_(named: AgentArgument, yes: Sure = False) -> None:
    """Delete an agent and everything that belongs to it: sources, conversations, gaps."""
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        confirm(f"the agent {agent.draft.name} and all its data", yes)
        await delete(base, actor, DeletedKind.AGENT, agent.id)
    err.print(f"{agent.draft.name} deleted.", markup=False)


def settings_in(changes: Sequence[str]) -> dict[str, Any]:
    """ "retrieval.rerank=vote" -> {"retrieval": {"rerank": "vote"}}. Ends the command if a change has no "="."""
    found: dict[str, Any] = {}
    for change in changes:
        key, equals, written = change.partition("=")
        if not equals or not all(key.split(".")):
            fail(f"{change!r} is not a setting. Use KEY=VALUE, such as name=Helper.", 2)
        *groups, last = key.split(".")
        inner = found
        for group in groups:
            inner = inner.setdefault(group, {})
        try:
            inner[last] = json.loads(written)
        except ValueError:
            inner[last] = written
    return found


async def _change(named: str | None, wanted: dict[str, Any], is_draft: bool, as_json: bool) -> None:
    from pydantic import ValidationError

    from app.agents.api.agent_models import AgentConfigOut, AgentPatch, changed
    from app.web.validation_messages import invalid_input_of

    try:
        patch = AgentPatch.model_validate_json(json.dumps(wanted))
    except ValidationError as error:
        wrong = invalid_input_of(error)
        near = _nearest(wrong.field, AgentPatch)
        if near:
            wrong = InvalidInput(wrong.field, f"No such setting. Did you mean {near}?")
        raise wrong from error
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        agents = agents_here(base)
        agent = await agents.change_draft(actor, agent.id, lambda draft: changed(draft, patch))
    if is_draft:
        err.print(f"Draft of {agent.draft.name} changed.", markup=False)
    else:
        await publish_version(base.settings, str(agent.id), force=False)
    if as_json:
        draft = AgentConfigOut.model_validate(agent.draft).model_dump(mode="json")
        print_json({"id": agent.id, "is_published": not is_draft, "draft": draft})


def _nearest(field: str, model: "type[BaseModel]") -> str | None:
    """The setting that was probably meant; None if `field` is a setting, or resembles none."""
    names = list(_setting_names(model))
    if field in names:
        return None
    last_parts = {name.rpartition(".")[2]: name for name in reversed(names)}
    found = get_close_matches(field.rpartition(".")[2], last_parts, 1)
    return last_parts[found[0]] if found else None


def _setting_names(model: "type[BaseModel]", group: str = "") -> Iterator[str]:
    from pydantic import BaseModel

    for name, field in model.model_fields.items():
        yield group + name
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _setting_names(kind, f"{group}{name}.")
