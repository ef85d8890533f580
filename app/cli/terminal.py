"""What every command shares: where output goes, how errors end, how logs look.

Results go to stdout and everything else to stderr, so that `--json` can be piped. Exit codes: 0 done, 1 it did not
work, 2 it was asked wrongly.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Coroutine, Iterator, MutableMapping
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeVar

import typer
from rich.console import Console

from app.core.errors import DocentError, InvalidInput, Misconfigured, NotFound

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from rich.table import Table

    from app.settings import Settings

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])

# A file has no width: what is written there is not cut into lines.
_FILE_COLUMNS = 1_000

out = Console(width=None if sys.stdout.isatty() else _FILE_COLUMNS)
err = Console(stderr=True)

AgentName = Annotated[
    str | None,
    typer.Option("--agent", metavar="AGENT", help="Its name or id, or the beginning of one. Optional with one agent."),
]
AgentArgument = Annotated[str, typer.Argument(metavar="agent", help="Its name or id, or the beginning of one.")]
Allow = Annotated[str | None, typer.Option(help="Private endpoints that may be read, IP:PORT, comma separated.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on one line, for programs.")]


def table(*headers: str, title: str | None = None) -> Table:
    """Of columns that wrap what is too long for the terminal: an address is never cut short."""
    from rich.table import Column, Table

    return Table(*(Column(header, overflow="fold") for header in headers), title=title)


def print_json(value: Any) -> None:
    """One object on one line, ASCII only."""
    sys.stdout.write(json.dumps(value, ensure_ascii=True, default=str) + "\n")
    sys.stdout.flush()


def fail(message: str, code: int = 1) -> NoReturn:
    """End the command with a message that says how to fix it."""
    err.print("[bold red]Error:[/]", end=" ")
    err.print(message, highlight=False, markup=False, soft_wrap=True)
    raise typer.Exit(code)


def settings_for(*, is_service: bool = False, **overrides: Any) -> Settings:
    """The environment with the command's own options on top; options that were not given are None. What is no service
    shows how far it is, and logs what is wrong alone, unless a level is set."""
    from app.settings import BadSettings, read_settings

    try:
        settings = read_settings(**{name: value for name, value in overrides.items() if value is not None})
    except BadSettings as error:
        fail(str(error), 2)
    is_chosen = is_service or "log_level" in settings.model_fields_set
    configure_logging(settings, settings.log_level if is_chosen else "warning")
    return settings


class Commands(typer.Typer):
    """The commands of one subject. One that is a coroutine function is run to its end."""

    def __init__(self, help: str) -> None:  # noqa: A002  (as Typer calls it)
        super().__init__(help=help, no_args_is_help=True, add_completion=False)

    def command(self, *args: Any, **kwargs: Any) -> Callable[[Command], Command]:
        add = super().command(*args, **kwargs)

        def mark(command: Command) -> Command:
            @wraps(command)
            def run_it(*given: Any, **named: Any) -> None:
                run(command(*given, **named))

            add(run_it if iscoroutinefunction(command) else command)
            return command

        return mark


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run the command's work; what we raise on purpose becomes a message, never a traceback."""
    import asyncio

    with spoken_errors(), asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(work)


@contextmanager
def spoken_errors() -> Iterator[None]:
    """What we raise on purpose ends the command with a message, never a traceback."""
    try:
        yield
    except (InvalidInput, Misconfigured, NotFound) as error:
        fail(str(error), 2)
    except DocentError as error:
        fail(str(error))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _loop_factory() -> Callable[[], AbstractEventLoop] | None:
    """uvloop where it installs."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def configure_logging(settings: Settings, log_level: str | None = None) -> None:
    """Log lines on stderr; in JSON for machines. Without a level that of the settings."""
    import logging

    import structlog

    from app.cli.terminal import EscapedLines, escape_controls
    from app.kit.tracing import add_trace_ids

    renderer: Any = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    level = getattr(logging, (log_level or settings.log_level).upper())
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            add_trace_ids,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            escape_controls,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),  # as it is when the line is written
        cache_logger_on_first_use=False,
    )
    libraries = logging.StreamHandler(sys.stderr)
    libraries.setFormatter(EscapedLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[libraries])


# Log lines that hold what websites, visitors and providers say: none of it moves a cursor or passes for a line.
_STEERING: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    """Control characters and marks of direction as Python writes them: one line stays one line."""
    return _STEERING.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def traceback_lines(text: str) -> str:
    """The lines of a traceback, each indented: what an error's message says begins none."""
    return "\n".join(f"    {escaped(line)}" for line in text.split("\n"))


def escape_controls(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """For structlog, before a renderer, which escapes the other values itself."""
    line["event"] = escaped(str(line["event"]))
    if isinstance(line.get("exception"), str):
        line["exception"] = traceback_lines(line["exception"])
    return line


class EscapedLines(logging.Formatter):
    """The same for what libraries log."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return escaped(super().formatMessage(record))

    def formatException(  # noqa: N802
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        return traceback_lines(super().formatException(ei))
