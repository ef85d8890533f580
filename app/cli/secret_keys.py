"""`docent secrets ...`: the keys that seal secrets in the system of record."""

from app.bootstrap.adapters import configured_key_file
from app.bootstrap.infrastructure import open_infrastructure, open_record
from app.cli.local_operator import local_operator, machine_operator
from app.cli.terminal import Commands, err, out, settings_for
from app.store.secret_keys import new_key
from app.workspaces.sealed_secrets import SealedSecrets

commands = Commands(help="Keys that seal secrets in the database.")


@commands.command("new-key")
def print_new_key() -> None:
    """Print a new key for DOCENT_SECRET_KEY, without changing anything."""
    out.print(new_key(), highlight=False, soft_wrap=True)


@commands.command()
async def rotate() -> None:
    """Seal every secret with the first key of DOCENT_SECRET_KEY or, without that setting, a new key in the file."""
    settings = settings_for()
    file = configured_key_file(settings)
    if file:
        file.prepend()
    async with open_infrastructure(settings) as base:
        sealed = await SealedSecrets(base.record).rotate(await local_operator(base))
    if file:
        file.keep_first()
        err.print(f"{sealed} secrets are sealed with a new key in {settings.secret_key_file}.", soft_wrap=True)
    else:
        err.print(f"{sealed} secrets are sealed with the first key of DOCENT_SECRET_KEY. You can remove the others.")


@commands.command()
async def forget() -> None:
    """Delete secrets that no key can open. Visitors get new tokens; create hooks and webhooks again."""
    async with open_record(settings_for()) as record:
        forgotten = await SealedSecrets(record).forget(await machine_operator(record))
    err.print(f"{forgotten} secrets deleted.")
