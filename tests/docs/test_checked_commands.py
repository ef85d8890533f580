"""A command of the documentation that could not run is noticed."""

import pytest
import typer
from pydantic import ValidationError

from tests.docs.checked_commands import check
from tests.docs.shell_commands import commands
from tests.every_row import every_row


@every_row(
    "line",
    [
        "docent crowl https://www.example.com",
        "docent source",
        "docent crawl",
        "docent crawl https://www.example.com --deep",
        "docent crawl https://www.example.com --max-pages many",
        "make demonstration",
        "make demo SIET=https://www.example.com",
        "python -m bench.nothing",
        "python -m bench.crawl --worker 0",
        "python3 -c 'import'",
        "export DOCENT_MODEL_URI=https://api.example.com",
        "DOCENT_PROT=8000 docent serve",
        "curl http://127.0.0.1:8000/v1/agent",
        "curl -X PUT http://127.0.0.1:8000/v1/agents",
        'curl -d \'{"nam": "x"}\' "$DOCENT/v1/agents"',
        "api /v1/agents/$AGENT/publish",
        "wget https://www.example.com",
    ],
)
def test_a_command_that_could_not_run_is_noticed(line: str) -> None:
    [command] = commands(line)
    with pytest.raises((AssertionError, SyntaxError, ValidationError, *_refusals())):
        check(command)


def test_a_command_that_could_run_passes() -> None:
    for line in ("docent crawl https://www.example.com --max-pages 5", "make demo SITE=x", "api /v1/agents"):
        for command in commands(line):
            check(command)


def _refusals() -> tuple[type[Exception], ...]:
    """What the parser of the command line raises: the base of its usage errors."""
    return tuple(each for each in typer.BadParameter.__mro__ if each.__name__ in ("UsageError", "ClickException"))
