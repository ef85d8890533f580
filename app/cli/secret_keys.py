"""`docent secrets ...`: the keys that seal secrets in the system of record."""

import typer

from app.bootstrap.adapters import configured_key_file
from app.bootstrap.infrastructure import open_infrastructure, open_record
from app.cli.local_operator import local_operator, machine_operator
from app.cli.terminal import err, out, run, settings_for
from app.settings import Settings
from app.store.secret_keys import new_key
from app.workspaces.sealed_secrets import SealedSecrets

commands = typer.Typer(help="Keys that seal secrets in the database.", no_args_is_help=True, add_completion=False)


@commands.command("new-key")
def print_new_key() -> None:
    """Print a new key for DOCENT_SECRET_KEY. Nothing is changed."""
    out.print(new_key(), highlight=False, soft_wrap=True)


@commands.command()
def rotate() -> None:
    """Seal every secret with the key that comes first in DOCENT_SECRET_KEY; without one, with a new key in the file."""
    run(_rotate(settings_for()))


@commands.command()
def forget() -> None:
    """Give up what no key opens any more: visitors get new tokens, and hooks and webhooks have to be made new."""
    run(_forget(settings_for()))


async def _rotate(settings: Settings) -> None:
    file = configured_key_file(settings)
    if file:
        file.prepend()
    async with open_infrastructure(settings) as base:
        sealed = await SealedSecrets(base.record).rotate(await local_operator(base))
    if file:
        file.keep_first()
        err.print(f"{sealed} secrets are sealed with a new key in {settings.secret_key_file}.", soft_wrap=True)
    else:
        err.print(f"{sealed} secrets are sealed with the first key of DOCENT_SECRET_KEY. The others may go from it.")


async def _forget(settings: Settings) -> None:
    async with open_record(settings) as (_, record):
        forgotten = await SealedSecrets(record).forget(await machine_operator(record))
    err.print(f"{forgotten} secrets were given up.")
