"""`docent token ...`: API tokens, which the command line alone can make."""

from typing import Annotated

import typer

from app.bootstrap.infrastructure import open_stored
from app.cli.local_operator import local_operator
from app.cli.names import meant
from app.cli.terminal import AsJson, err, out, print_json, run, settings_for, table
from app.core.actor import SCOPES, USUAL_SCOPES
from app.settings import Settings
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.signing_keys import SigningKeys

commands = typer.Typer(help="API tokens.", no_args_is_help=True, add_completion=False)


@commands.command()
def create(
    name: Annotated[str, typer.Argument(help="What the token is for, such as 'deploy script'.")] = "cli",
    scope: Annotated[
        list[str] | None,
        typer.Option(help=f"One of {', '.join(SCOPES)}; repeat it. {' and '.join(USUAL_SCOPES)} by default."),
    ] = None,
    days: Annotated[int | None, typer.Option(help="Days until it expires; never by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a token. It is shown once."""
    run(_create(settings_for(), name, tuple(scope or USUAL_SCOPES), days, as_json))


@commands.command("list")
def list_(as_json: AsJson = False) -> None:
    """Show the tokens, never their secrets."""
    run(_list(settings_for(), as_json))


@commands.command()
def revoke(token: Annotated[str, typer.Argument(help="Its name or id, or how one begins.")]) -> None:
    """Make a token worthless."""
    run(_revoke(settings_for(), token))


@commands.command()
def rotate_signing_key(
    now: Annotated[bool, typer.Option("--now", help="End all visitors' tokens at once: a key has leaked.")] = False,
) -> None:
    """Sign visitor tokens by a new key. Those that are out hold until they expire."""
    run(_rotate(settings_for(), now))


async def _rotate(settings: Settings, now: bool) -> None:
    async with open_stored(settings) as base:
        await SigningKeys(base.record, base.clock).rotate(await local_operator(base), at_once=now)
    err.print("A new key signs. " + ("All visitors get new tokens." if now else "Tokens that are out hold as they do."))


async def _create(settings: Settings, name: str, scopes: tuple[str, ...], days: int | None, as_json: bool) -> None:
    async with open_stored(settings) as base:
        actor = await local_operator(base)
        issued = await ApiTokens(base.record, base.clock).issue(actor.workspace_id, name, scopes, days)
    if as_json:
        print_json({"token": issued.token, "id": issued.record.id, "scopes": issued.record.scopes})
        return
    out.print(issued.token, highlight=False, soft_wrap=True)
    err.print("Keep it now: it is not shown again. Send it as `Authorization: Bearer <token>`.")


async def _list(settings: Settings, as_json: bool) -> None:
    async with open_stored(settings) as base:
        tokens = await ApiTokens(base.record, base.clock).of_workspace(await local_operator(base))
    rows = [
        {
            "id": str(token.id),
            "name": token.name,
            "begins": token.prefix,
            "scopes": list(token.scopes),
            "expires_at": token.expires_at,
            "last_used_at": token.last_used_at,
            "revoked_at": token.revoked_at,
        }
        for token in tokens
    ]
    if as_json:
        print_json({"tokens": rows})
        return
    shown = table("id", "name", "begins", "scopes", "expires", "last used", "revoked")
    for row in rows:
        shown.add_row(*(", ".join(cell) if isinstance(cell, list) else str(cell or "") for cell in row.values()))
    out.print(shown)


async def _revoke(settings: Settings, named: str) -> None:
    async with open_stored(settings) as base:
        actor, tokens = await local_operator(base), ApiTokens(base.record, base.clock)
        token = meant("token", named, await tokens.of_workspace(actor), lambda token: (token.name,))
        await tokens.revoke(actor, token.id)
    err.print("Revoked.")
