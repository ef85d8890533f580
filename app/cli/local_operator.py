"""The operator and the agents that commands act on. Whoever can run commands on the machine is its operator."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final, Protocol, TypeVar
from uuid import UUID

from app.agents.agent import Agent, LiveAgent
from app.agents.records import AgentRecords
from app.bootstrap.infrastructure import Stored, open_stored
from app.cli.terminal import settings_for
from app.core.actor import SCOPES, Actor
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import collected
from app.sources.records import SourceRecords
from app.sources.source import Source
from app.store.system_of_record import SystemOfRecord
from app.workspaces.records.tokens import TokenRecords

ALONE: Final[Mapping[str, Any]] = dict.fromkeys(
    ("database_url", "database_role", "vectors_uri", "redis_url", "workspace"), ""
)
"""Settings for a command with a temporary data folder: they replace what the environment says of stores."""

NO_CHAT_MODELS: Final[Mapping[str, Any]] = dict.fromkeys(
    (f"{part}_{field}" for part in ("model", "fallback_model", "helper_model") for field in ("url", "name")), ""
)
"""Settings for a command that calls no chat model."""


@asynccontextmanager
async def open_installation() -> AsyncIterator[tuple[Stored, Actor]]:
    """The installation that the environment configures, and its operator. Raises InvalidInput as `local_operator`."""
    async with open_stored(settings_for()) as base:
        yield base, await local_operator(base)


async def local_operator(base: Stored) -> Actor:
    """The operator of the workspace that DOCENT_WORKSPACE names, else of the first one. Raises InvalidInput for an
    unknown name."""
    actor, name = await machine_operator(base.record), base.settings.workspace
    if not name:
        return actor
    found = await base.record.read(lambda tx: [each for each in TokenRecords(tx).workspaces() if each.name == name])
    if not found:
        raise InvalidInput("DOCENT_WORKSPACE", f'There is no workspace "{name}". `docent workspace list` shows them.')
    return replace(actor, workspace_id=found[0].id)


async def machine_operator(record: SystemOfRecord) -> Actor:
    """The operator of the first workspace, which is created if there is none."""
    workspace_id = await record.write(lambda tx: TokenRecords(tx).default_workspace())
    return Actor(workspace_id, "cli", frozenset(SCOPES))


async def known_agents(base: Stored, actor: Actor) -> list[Agent]:
    """The workspace's agents, oldest first."""
    own = base.record.of_workspace(actor.workspace_id)
    return await collected(lambda page: own.read(lambda tx: AgentRecords(tx).page(actor.workspace_id, page)))


async def meant_agent(base: Stored, actor: Actor, named: str | None) -> Agent:
    """The agent whose name or id is `named` or begins with it; for None, the only agent. Raises InvalidInput, which
    lists the choices, if there is none or more than one."""
    agents = await known_agents(base, actor)
    if named is not None:
        return meant("agent", named, agents, agent_names)
    if not agents:
        raise InvalidInput("", "No agent yet. Create one with `docent crawl URL` or `docent agent create NAME`.")
    if len(agents) > 1:
        raise InvalidInput(
            "", f"There are several agents; choose one with --agent NAME:\n{listed(agents, agent_names)}"
        )
    return agents[0]


def agent_names(agent: Agent) -> tuple[str, ...]:
    return (agent.draft.name,)


async def live_agent(base: Stored, agent: Agent) -> LiveAgent:
    """The published agent. Raises InvalidInput if it was never published."""
    try:
        return await base.record.of_workspace(agent.workspace_id).read(lambda tx: AgentRecords(tx).live(agent.id))
    except NotFound:
        raise InvalidInput(
            "", f"The agent is not published yet. Publish it with `docent agent publish {agent.id}`."
        ) from None


async def meant_source(base: Stored, actor: Actor, named: str) -> Source:
    """The source whose name, address or id is `named` or begins with it. Raises InvalidInput, which lists the
    choices."""
    sources: list[Source] = []
    for agent in await known_agents(base, actor):
        sources += await base.record.of_workspace(actor.workspace_id).read(
            lambda tx: SourceRecords(tx).sources(agent.id)
        )
    return meant("source", named, sources, source_names)


def source_names(source: Source) -> tuple[str, ...]:
    return (source.config.name, source.config.url) if source.config.url else (source.config.name,)


class Identified(Protocol):
    @property
    def id(self) -> UUID: ...


Thing = TypeVar("Thing", bound=Identified)


def meant(kind: str, named: str, things: Sequence[Thing], names_of: Callable[[Thing], Sequence[str]]) -> Thing:
    """The thing that `named` identifies: by its whole id, else its whole name, else as the only one whose name or id
    begins with it. Case is ignored. Raises InvalidInput, which lists the choices."""
    wanted = named.strip().casefold()
    steps: tuple[Callable[[Thing], bool], ...] = (
        lambda thing: str(thing.id) == wanted,
        lambda thing: wanted in _folded(names_of(thing)),
        lambda thing: any(name.startswith(wanted) for name in (*_folded(names_of(thing)), str(thing.id))),
    )
    for fits in steps:
        fitting = [thing for thing in things if wanted and fits(thing)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise InvalidInput(
                "", f"Several {kind}s match {named!r}. Enter more of it, or the id:\n{listed(fitting, names_of)}"
            )
    if not things:
        raise InvalidInput("", f"There is no {kind} {named!r}, nor any other yet.")
    spelt = {name.casefold(): name for thing in things for name in names_of(thing) if name}
    near = get_close_matches(wanted, spelt, 1)
    choose = f"Did you mean {spelt[near[0]]}? These are there:" if near else "Choose one of these:"
    raise InvalidInput("", f"There is no {kind} {named!r}. {choose}\n{listed(things, names_of)}")


def listed(things: Sequence[Thing], names_of: Callable[[Thing], Sequence[str]]) -> str:
    """The ids and names, one thing per line."""
    return "\n".join(f"  {thing.id}  {'  '.join(names_of(thing))}" for thing in things)


def _folded(names: Sequence[str]) -> list[str]:
    return [name.casefold() for name in names if name]
