"""`docent ...`: the list of commands. A command's module is imported when it is called, for `--help` none."""

import gc
import io
import os
import select
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from app.cli.late_commands import LateCommand, LateGroup

if TYPE_CHECKING:
    from typing_extensions import Buffer


COMMANDS = (
    LateCommand("serve", "app.cli.serving.serve:serve", "Serve the widget and the API."),
    LateCommand("work", "app.cli.serving.commands:work", "Run a worker: crawl and index what is queued."),
    LateCommand("migrate", "app.cli.serving.commands:migrate", "Migrate the database to this version."),
    LateCommand(
        "copy",
        "app.cli.copying:copy",
        "Copy an installation to another database, SQLite or Postgres, and compare every table.",
    ),
    LateCommand("crawl", "app.cli.knowledge:crawl", "Read a website now, in this process."),
    LateCommand("reindex", "app.cli.knowledge:reindex", "Rebuild both indexes from the stored pages."),
    LateCommand(
        "doctor",
        "app.cli.doctor.command:doctor",
        "Check everything that answers depend on: database, queue, workers, indexes, Redis, object store, models, "
        "disk, clock.",
    ),
    LateCommand("ask", "app.cli.answers:ask", "Ask an agent a question and stream its answer."),
    LateCommand("search", "app.cli.answers:search", "Show which chunks an agent would answer from."),
    LateCommand("mcp", "app.cli.serving.commands:mcp", "Serve an agent's tools over the Model Context Protocol."),
    LateCommand("eval", "app.cli.evaluation.commands:eval_", "Measure search on a set of questions, stage by stage."),
    LateCommand("demo", "app.cli.demo.command:demo", "Read a website, answer three questions, show the gap."),
    LateCommand(
        "report",
        "app.cli.site_report:report",
        "Read a website, ask it questions made from its own headings, and write what it answers, what it contradicts "
        "and what has aged to one HTML file.",
    ),
    LateCommand(
        "import",
        "app.cli.past_questions:import_",
        "Read past conversations of another help desk, and show which of their questions an agent would answer.",
    ),
    LateCommand("token", "app.cli.tokens:commands", "API tokens."),
    LateCommand("secrets", "app.cli.secret_keys:commands", "Keys that seal secrets in the database."),
    LateCommand("operator", "app.cli.operators:commands", "Operators: people who can sign in to the console."),
    LateCommand("workspace", "app.cli.workspaces:commands", "Workspaces: the tenants of this installation."),
    LateCommand(
        "agent",
        "app.cli.agents:commands",
        "Agents: what you embed in a website.",
        ("app.cli.agent_files",),
    ),
    LateCommand(
        "source",
        "app.cli.sources.commands:commands",
        "Sources: what an agent answers from.",
        ("app.cli.sources.source_files",),
    ),
)


# Importing makes objects that stay: looking through them takes a fifteenth of a short command's time.
_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000


class _Docent(LateGroup):
    late = COMMANDS


cli = typer.Typer(
    cls=_Docent,
    name="docent",
    help="Answers a website's visitors from that website.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import version

        typer.echo(f"docent {version('docent')}")
        raise typer.Exit


@cli.callback()
def docent(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Answers a website's visitors from that website."""


class _PatientFile(io.RawIOBase):
    """Waits for its reader, whether or not the descriptor blocks; the flag stays, because others may share it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        return True

    def write(self, data: "Buffer") -> int:
        while True:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                select.select([], [self._descriptor], [])


def wait_for_readers() -> None:
    """From now on, stdout and stderr lose nothing to a reader that is slow. Whoever starts a command may hand it a pipe
    that does not block, and Python drops what does not fit into such a pipe at once."""
    for name in ("stdout", "stderr"):
        given = getattr(sys, name)
        if isinstance(given, io.TextIOWrapper):
            whole = io.BufferedWriter(_PatientFile(given.fileno()))
            patient = io.TextIOWrapper(whole, given.encoding, given.errors, line_buffering=given.line_buffering)
            setattr(sys, name, patient)


def main() -> None:
    """The `docent` entry point."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    # BLAS reads it once, with the first import of numpy. Its threads spin after a product for longer than ours take.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    wait_for_readers()
    cli()
