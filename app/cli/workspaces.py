"""`docent workspace ...`: the tenants of this installation."""

from typing import Annotated

import typer

from app.bootstrap.infrastructure import Stored, open_stored
from app.cli.local_operator import machine_operator
from app.cli.operators import new_password
from app.cli.terminal import AsJson, Commands, err, out, print_json, settings_for
from app.workspaces.workspaces import Workspaces

commands = Commands(help="Workspaces: the tenants of this installation.")


@commands.command()
async def add(
    name: Annotated[str, typer.Argument(help="The name of the workspace, also for DOCENT_WORKSPACE.")],
    admin: Annotated[str, typer.Option(help="E-mail address of the first admin.")],
) -> None:
    """Create a workspace and its first admin. Prompts for the password, or reads it from standard input."""
    async with open_stored(settings_for()) as base:
        made = await _workspaces_on(base).create(await machine_operator(base.record), name, admin, new_password())
    err.print(
        f"{admin} can sign in at /console. To run commands in it, set DOCENT_WORKSPACE={made.name}.", highlight=False
    )


@commands.command("list")
async def list_(as_json: AsJson = False) -> None:
    """List the workspaces, oldest first."""
    async with open_stored(settings_for()) as base:
        found = await _workspaces_on(base).known(await machine_operator(base.record))
    if as_json:
        print_json({"workspaces": [{"id": each.id, "name": each.name} for each in found]})
        return
    for each in found:
        out.print(f"{each.id}  {each.name}", highlight=False, markup=False)


def _workspaces_on(base: Stored) -> Workspaces:
    from app.kit.password_hasher import Argon2PasswordHasher

    return Workspaces(base.record, Argon2PasswordHasher(), base.clock)
