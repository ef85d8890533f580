"""`docent copy`: moves an installation to another database."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from app.cli.terminal import AsJson, err, fail, out, print_json, settings_for, spoken_errors, table
from app.kit.private_files import private_files
from app.settings import Settings
from app.store.database_copy import CopyStep, TableSum, copy_database

_SETTING = "DOCENT_DATABASE_URL"
_DIGITS_SHOWN = 16


def copy(
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="URL", help="The database to copy. Default: the one in the settings."),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--to", metavar="URL", help="An empty database. Default: the one in the settings.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Copy an installation to another database, SQLite or Postgres, and compare every table.

    Stop its processes first. Either everything is copied or nothing, and the original is not changed.
    """
    settings = settings_for()
    if (source or settings.record_url) == (target or settings.record_url):
        fail("Two databases are required: set --from or --to, and the other with --to or DOCENT_DATABASE_URL.", 2)
    with spoken_errors(), private_files(settings.data):
        sums = _copy(settings, source, target)
    if as_json:
        print_json({"rows": sum(each.rows for each in sums), "tables": [asdict(each) for each in sums]})
        return
    rows = ((each.table, each.rows, each.digest[:_DIGITS_SHOWN]) for each in sums)
    out.print(table(("table", "rows", "digest"), rows))
    err.print(
        f"{sum(each.rows for each in sums)} rows of {len(sums)} tables are the same in both. Set {_SETTING} to the new "
        "database, and DOCENT_SECRET_KEY to what secret.key holds if that file sealed the secrets.",
        highlight=False,
        soft_wrap=True,
    )


def _copy(settings: Settings, source: str | None, target: str | None) -> list[TableSum]:
    bars: dict[str, TaskID] = {}
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=err) as progress:

        def show(step: CopyStep) -> None:
            if step.table not in bars:
                bars[step.table] = progress.add_task(step.table, total=step.rows)
            progress.update(bars[step.table], completed=step.done)

        return copy_database(
            source or settings.record_url,
            target or settings.record_url,
            "--from" if source else _SETTING,
            "--to" if target else _SETTING,
            show,
        )
