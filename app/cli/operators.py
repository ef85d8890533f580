"""`docent operator ...`: accounts of the console. Passwords are typed or piped, never arguments."""

import getpass
import sys
from typing import Annotated

import typer

from app.bootstrap.adapters import configured_mailer
from app.bootstrap.infrastructure import Stored
from app.cli.local_operator import open_installation
from app.cli.terminal import AsJson, Commands, err, fail, out, print_json, table
from app.core.actor import Actor
from app.kit.password_hasher import Argon2PasswordHasher
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import Operators, SignInMethods, checked_email
from app.workspaces.password_links import PasswordLinks

commands = Commands(help="Operators: people who can sign in to the console.")

AsRole = Annotated[Role, typer.Option(help="Their role: read, change, or also manage accounts.")]
Email = Annotated[str, typer.Argument(help="The operator's e-mail address.")]


@commands.command()
async def add(
    email: Email,
    role: AsRole = Role.ADMIN,
    as_json: AsJson = False,
) -> None:
    """Create an account. The command prompts for the password, or reads it from standard input."""
    async with open_installation() as (base, actor):
        operator = await operators_on(base).add(actor, email, role, new_password())
    if as_json:
        print_json({"id": operator.id, "email": operator.email, "role": operator.role.value})
        return
    err.print(f"{operator.email} can sign in at /console as {operator.role.value}.", highlight=False)


@commands.command()
async def invite(
    email: Email,
    role: AsRole = Role.ADMIN,
    as_json: AsJson = False,
) -> None:
    """Create an account whose operator sets a password through a link, which is sent by mail or printed."""
    await _link(email, role, as_json)


@commands.command()
async def link(email: Email, as_json: AsJson = False) -> None:
    """Create a link through which an operator chooses a new password. It is mailed or printed."""
    await _link(email, None, as_json)


@commands.command("list")
async def list_(as_json: AsJson = False) -> None:
    """List the accounts."""
    async with open_installation() as (base, actor):
        operators = await operators_on(base).of_workspace(actor)
    rows = [
        {
            "id": str(operator.id),
            "email": operator.email,
            "role": operator.role.value,
            "signed_in_at": operator.signed_in_at,
            "disabled_at": operator.disabled_at,
            "invited_at": operator.invited_at,
        }
        for operator in operators
    ]
    if as_json:
        print_json({"operators": rows})
        return
    out.print(table(("id", "e-mail", "role", "signed in", "disabled", "invited"), (row.values() for row in rows)))


@commands.command()
async def password(email: Email) -> None:
    """Set a new password, from a prompt or standard input. This signs the operator out."""
    password = new_password()
    async with open_installation() as (base, actor):
        operator = await _known(base, actor, email)
        await operators_on(base).change(actor, operator.id, password=password)
    err.print("Password set.")


@commands.command()
async def disable(email: Email) -> None:
    """Disable an account and sign the operator out."""
    async with open_installation() as (base, actor):
        operator = await _known(base, actor, email)
        await operators_on(base).change(actor, operator.id, is_disabled=True)
    err.print("Disabled.")


@commands.command()
async def remove(email: Email) -> None:
    """Remove an account. The audit log keeps what its operator did."""
    async with open_installation() as (base, actor):
        operator = await _known(base, actor, email)
        await operators_on(base).delete(actor, operator.id)
    err.print("Removed.")


def operators_on(base: Stored) -> Operators:
    return Operators(base.record, Argon2PasswordHasher(), base.clock)


def new_password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    typed = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != typed:
        fail("The passwords do not match. Try again.", 2)
    return typed


async def _link(email: str, invited_as: Role | None, as_json: bool) -> None:
    async with open_installation() as (base, actor):
        settings = base.settings
        methods = SignInMethods(settings.password_sign_in, settings.oidc_issuer)
        mailer = configured_mailer(settings)
        links = PasswordLinks(base.record, Argon2PasswordHasher(), mailer, methods, base.clock)
        if invited_as is not None:
            made = await links.invite(actor, email, invited_as)
        else:
            made = await links.make(actor, (await _known(base, actor, email)).id)
    if as_json:
        print_json({"id": made.operator.id, "url": made.url or None, "expires_at": made.expires_at})
        return
    if not made.url:
        err.print(f"A worker mails the link to {made.operator.email}.", highlight=False)
        return
    err.print(f"Send this only to {made.operator.email}. It works once, until {made.expires_at:%Y-%m-%d %H:%M} UTC:")
    typer.echo(made.url)
    if not settings.public_url:
        err.print("Add the address of your Docent in front of it, or set DOCENT_PUBLIC_URL.")


async def _known(base: Stored, actor: Actor, email: str) -> Operator:
    wanted = checked_email(email)
    known = {operator.email: operator for operator in await operators_on(base).of_workspace(actor)}
    if wanted not in known:
        fail("No operator has this address. List them with `docent operator list`.", 2)
    return known[wanted]
