"""`docent ...`: the list of commands. A command's module is imported when it runs; `docent --help` imports none."""

import gc
import io
import os
import select
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

if TYPE_CHECKING:
    from typing_extensions import Buffer


@dataclass(frozen=True, slots=True)
class LateCommand:
    """A command that is imported when it runs. `place` is "module:name" of a function or a `typer.Typer`; `beside`
    names modules that add commands to that Typer. `help` is the first sentence of the command's help."""

    name: str
    place: str
    help: str
    beside: Sequence[str] = ()

    def load(self) -> Any:
        """Import the command and convert it to Click's type."""
        module, _, attribute = self.place.partition(":")
        found = getattr(import_module(module), attribute)
        for name in self.beside:
            import_module(name)
        if isinstance(found, typer.Typer):
            command = get_command(found)
        else:
            alone = typer.Typer(add_completion=False)
            alone.command()(found)
            command = get_command(alone)
        command.name = self.name
        return command


class LateGroup(TyperGroup):
    """Lists its commands in `--help` without importing them."""

    late: ClassVar[Sequence[LateCommand]] = ()

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for command in self.late:
            self.add_command(TyperCommand(command.name, help=command.help))

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            # Typer converts values with pydantic, and would show pydantic's own message.
            if error.__cause__ is not None:
                error.message = _in_our_words(error.__cause__, error.message)
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, listed, rest = super().resolve_command(ctx, args)
        for command in self.late:
            if command.name == name:
                return name, command.load(), rest
        return name, listed, rest


def _in_our_words(cause: BaseException, message: str) -> str:
    from pydantic import ValidationError

    from app.web.validation_messages import messages_by_field

    return next(iter(messages_by_field(cause).values())) if isinstance(cause, ValidationError) else message


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
    LateCommand("eval", "app.cli.evaluation:eval_", "Measure search on a set of questions, stage by stage."),
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
    LateCommand("chat-model", "app.cli.chat_models:commands", "Chat models of this workspace's own."),
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


# Imported objects stay alive: collections that traverse those of a server take a twentieth of its start.
_OBJECTS_BETWEEN_COLLECTIONS: Final = 500_000


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
    """Writes wait for the reader even if the descriptor is non-blocking. The flag O_NONBLOCK is not cleared, because
    other processes may share the open file."""

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
    """Make stdout and stderr wait for a slow reader. A command may be started with a non-blocking pipe, and Python
    drops output that does not fit into the pipe's buffer."""
    for name in ("stdout", "stderr"):
        given = getattr(sys, name)
        if isinstance(given, io.TextIOWrapper):
            whole = io.BufferedWriter(_PatientFile(given.fileno()))
            patient = io.TextIOWrapper(whole, given.encoding, given.errors, line_buffering=given.line_buffering)
            setattr(sys, name, patient)


def main() -> None:
    """The `docent` entry point."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    # OpenBLAS reads this when numpy is first imported. Its threads would busy-wait for longer than our products take.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    wait_for_readers()
    cli()
