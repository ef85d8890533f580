"""Output, errors and logs of all commands.

Results go to stdout and everything else to stderr, so that `--json` can be piped. Exit codes: 0 success, 1 failure,
2 invalid input or settings.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeVar

import typer
from rich.console import Console

from app.core.errors import DocentError, InvalidInput, Misconfigured, NotFound

if TYPE_CHECKING:
    from rich.table import Table

    from app.settings import Settings

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])

# Output to a file is not wrapped.
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


def table(headers: Sequence[str], rows: Iterable[Iterable[object]] = (), title: str | None = None) -> Table:
    """A table whose columns wrap text that is too long for the terminal, so that addresses are never truncated. Cells
    that are None are blank."""
    from rich.table import Column, Table

    made = Table(*(Column(header, overflow="fold") for header in headers), title=title)
    for row in rows:
        made.add_row(*("" if cell is None else str(cell) for cell in row))
    return made


def print_json(value: Any) -> None:
    """Print one JSON value on one line, in ASCII."""
    sys.stdout.write(json.dumps(value, ensure_ascii=True, default=str) + "\n")
    sys.stdout.flush()


def fail(message: str, code: int = 1) -> NoReturn:
    """End the command with a message that says how to fix it."""
    err.print("[bold red]Error:[/]", end=" ")
    err.print(message, highlight=False, markup=False, soft_wrap=True)
    raise typer.Exit(code)


def settings_for(*, is_service: bool = False, **overrides: Any) -> Settings:
    """Read the environment, override it with the options that are not None, and configure logging. Unless a level is
    set, only services log below warnings: other commands show their progress instead."""
    from app.settings import BadSettings, read_settings

    try:
        settings = read_settings(**{name: value for name, value in overrides.items() if value is not None})
    except BadSettings as error:
        fail(str(error), 2)
    is_chosen = is_service or "log_level" in settings.model_fields_set
    configure_logging(settings, settings.log_level if is_chosen else "warning")
    return settings


class Commands(typer.Typer):
    """The commands of one subject, which may be coroutine functions."""

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
    """Run the command's coroutine, with errors reported as by `spoken_errors`."""
    import asyncio

    import uvloop

    with spoken_errors(), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


@contextmanager
def spoken_errors() -> Iterator[None]:
    """Turn a DocentError into a message and an exit code, instead of a traceback."""
    try:
        yield
    except (InvalidInput, Misconfigured, NotFound) as error:
        fail(str(error), 2)
    except DocentError as error:
        fail(str(error))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def configure_logging(settings: Settings, log_level: str | None = None) -> None:
    """Log to stderr, as text or JSON by the settings. `log_level` overrides the level of the settings."""
    import structlog

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
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),  # the current stderr, which may have been replaced
        cache_logger_on_first_use=False,
    )
    libraries = logging.StreamHandler(sys.stderr)
    libraries.setFormatter(EscapedLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[libraries])


# Log lines contain text of websites, visitors and providers, which must not move the cursor or fake another line.
_STEERING: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    """The text with control characters and direction marks as Python escapes, so that it stays on one line."""
    return _STEERING.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def traceback_lines(text: str) -> str:
    """The traceback with all lines indented and escaped, so that an error's message cannot look like a log line."""
    return "\n".join(f"    {escaped(line)}" for line in text.split("\n"))


def escape_controls(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor for use before a renderer, which escapes the other values itself."""
    line["event"] = escaped(str(line["event"]))
    if isinstance(line.get("exception"), str):
        line["exception"] = traceback_lines(line["exception"])
    return line


class EscapedLines(logging.Formatter):
    """Escapes the log lines of libraries in the same way."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return escaped(super().formatMessage(record))

    def formatException(  # noqa: N802
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        return traceback_lines(super().formatException(ei))
