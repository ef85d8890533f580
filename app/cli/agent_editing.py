"""`docent agent set`, `rename` and `delete`: the same settings and rules as the API's."""

import json
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from app.agents.agents import Agents
from app.agents.chat_model_names import ChatModelNames
from app.cli.agents import commands, publish_version
from app.cli.deleting import confirm, delete
from app.cli.local_operator import meant_agent, open_installation
from app.cli.sources.jobs_here import JobsHere
from app.cli.terminal import AgentArgument, AgentName, AsJson, err, fail, print_json
from app.core.errors import InvalidInput
from app.sources.deletions.deletion import DeletedKind

if TYPE_CHECKING:
    from pydantic import BaseModel

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
async def delete_(
    named: AgentArgument, yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False
) -> None:
    """Delete an agent and everything that belongs to it: sources, conversations, gaps."""
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        confirm(f"the agent {agent.draft.name} and all its data", yes)
        await delete(base, actor, DeletedKind.AGENT, agent.id)
    err.print(f"{agent.draft.name} deleted.", markup=False)


def settings_in(changes: Sequence[str]) -> dict[str, Any]:
    """ "retrieval.rerank=vote" -> {"retrieval": {"rerank": "vote"}}. Ends the command where there is no "="."""
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
        agents = Agents(base.record, JobsHere(base.settings), ChatModelNames(base.settings.models))
        agent = await agents.change_draft(actor, agent.id, lambda draft: changed(draft, patch))
    if is_draft:
        err.print(f"Draft of {agent.draft.name} changed.", markup=False)
    else:
        await publish_version(base.settings, str(agent.id), force=False)
    if as_json:
        draft = AgentConfigOut.model_validate(agent.draft).model_dump(mode="json")
        print_json({"id": agent.id, "is_published": not is_draft, "draft": draft})


def _nearest(field: str, model: "type[BaseModel]") -> str | None:
    """The setting that was probably meant; None where `field` is one, or resembles none."""
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
