"""`docent token ...`: API tokens, which only the command line can create."""

from typing import Annotated, Any

import typer

from app.cli.local_operator import meant, open_installation
from app.cli.terminal import AsJson, Commands, err, out, print_json, table
from app.core.actor import SCOPES, USUAL_SCOPES
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.workspaces import SigningKeys

commands = Commands(help="API tokens.")


@commands.command()
async def create(
    name: Annotated[str, typer.Argument(help="What the token is for, such as 'deploy script'.")] = "cli",
    scope: Annotated[
        list[str] | None,
        typer.Option(help=f"One of {', '.join(SCOPES)}. May be repeated. Default: {' and '.join(USUAL_SCOPES)}."),
    ] = None,
    days: Annotated[int | None, typer.Option(help="Days until it expires. Default: never.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create an API token. It is shown once."""
    scopes = tuple(scope or USUAL_SCOPES)
    async with open_installation() as (base, actor):
        issued = await ApiTokens(base.record, base.clock).issue(actor, name, scopes, days)
    if as_json:
        print_json({"token": issued.token, "id": issued.record.id, "scopes": issued.record.scopes})
        return
    out.print(issued.token, highlight=False, soft_wrap=True)
    err.print("Copy this now: it is not shown again. Send it as `Authorization: Bearer <token>`.")


@commands.command("list")
async def list_(as_json: AsJson = False) -> None:
    """List the API tokens, without their secrets."""
    async with open_installation() as (base, actor):
        tokens = await ApiTokens(base.record, base.clock).of_workspace(actor)
    rows: list[dict[str, Any]] = [
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
    cells = ((row | {"scopes": ", ".join(row["scopes"])}).values() for row in rows)
    out.print(table(("id", "name", "begins", "scopes", "expires", "last used", "revoked"), cells))


@commands.command()
async def revoke(
    named: Annotated[str, typer.Argument(metavar="token", help="Its name or id, or the beginning of one.")],
) -> None:
    """Revoke an API token."""
    async with open_installation() as (base, actor):
        tokens = ApiTokens(base.record, base.clock)
        token = meant("token", named, await tokens.of_workspace(actor), lambda token: (token.name,))
        await tokens.revoke(actor, token.id)
    err.print("Revoked.")


@commands.command()
async def rotate_signing_key(
    now: Annotated[bool, typer.Option("--now", help="Invalidate the current tokens of all visitors at once.")] = False,
) -> None:
    """Sign visitor tokens with a new key. Current tokens stay valid until they expire."""
    async with open_installation() as (base, actor):
        await SigningKeys(base.record, base.clock).rotate(actor, at_once=now)
    err.print("Signing key rotated. " + ("All visitors get new tokens." if now else "Current tokens stay valid."))
