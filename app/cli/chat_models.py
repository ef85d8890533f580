"""`docent chat-model ...`: a workspace's own chat models."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated
from uuid import uuid4

import typer

from app.agents.model_endpoint import ModelEndpoint
from app.agents.model_endpoints import ChatModelNames, ModelEndpoints
from app.bootstrap.models import WorkspaceModels
from app.cli.local_operator import open_installation
from app.cli.operators import new_password
from app.cli.terminal import AsJson, Commands, err, fail, out, print_json
from app.core.actor import Actor
from app.core.errors import DocentError

commands = Commands(help="Chat models of this workspace's own, which its agents choose by name.")
Name = Annotated[str, typer.Argument(help="The name by which agents choose it.")]


@commands.command()
async def add(
    name: Name,
    url: Annotated[str, typer.Option(help="Its address, such as https://api.openai.com/v1.")],
    model: Annotated[str, typer.Option(help="The model's name there.")],
) -> None:
    """Add a chat model. Prompts for its key, or reads it from standard input; empty if it wants none."""
    async with _opened() as (models, actor, now):
        await models.create(actor, ModelEndpoint(uuid4(), actor.workspace_id, now, name, url, model), new_password())
    err.print(f"Added. Test it with: docent chat-model test {name}", highlight=False, markup=False)


@commands.command("list")
async def list_(as_json: AsJson = False) -> None:
    """List the chat models by name."""
    async with _opened() as (models, actor, _):
        found = await models.of_workspace(actor)
    if as_json:
        print_json({"chat_models": [{"name": each.name, "url": each.url, "model": each.model} for each in found]})
        return
    for each in found:
        out.print(f"{each.name}  {each.model}  {each.url}", highlight=False, markup=False)


@commands.command()
async def test(name: Name) -> None:
    """Ask a chat model for a word."""
    async with _opened() as (models, actor, _):
        try:
            outcome = await models.test(actor, (await _named(models, actor, name)).id)
        except DocentError as error:
            fail(str(error), 1)
    out.print(f"{name} {outcome}", highlight=False, markup=False)


@commands.command()
async def remove(name: Name) -> None:
    """Remove a chat model that no agent uses."""
    async with _opened() as (models, actor, _):
        await models.delete(actor, (await _named(models, actor, name)).id)
    err.print("Removed.")


@asynccontextmanager
async def _opened() -> AsyncIterator[tuple[ModelEndpoints, Actor, datetime]]:
    async with open_installation() as (base, actor), WorkspaceModels(base.settings) as probe:
        yield ModelEndpoints(base.record, probe, ChatModelNames(base.settings.models)), actor, base.clock.now()


async def _named(models: ModelEndpoints, actor: Actor, name: str) -> ModelEndpoint:
    found = [each for each in await models.of_workspace(actor) if each.name == name]
    if not found:
        fail(f'There is no chat model "{name}". `docent chat-model list` shows them.', 2)
    return found[0]
