"""Whether a command that the documentation shows could run: parsed by the real parser, held against the real routes."""

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import typer
import typer.main

from app.cli import cli
from app.settings import PREFIX, Settings
from app.web.endpoint import AnyEndpoint
from tests.docs.fenced_blocks import ROOT
from tests.docs.shell_commands import Command
from tests.web.house import every_endpoint

# Of the shell and of any Unix: nothing of ours could make them wrong.
_ANY_UNIX = {"api", "cat", "cut", "date", "echo", "export", "kill", "mkdir", "openssl", "printf", "rm", "umask", "."}
_INSTALLERS = {"pipx", "uv"}
_VARIABLE_OF_A_RUN = {"DOCENT_CASES", "DOCENT_SEED", "DOCENT_TEST_POSTGRES"}


def check(command: Command) -> None:
    """Raises AssertionError, or what the parser says."""
    for setting in command.settings:
        _check_setting(setting)
    if not command.words:
        return
    program, *rest = command.words
    if program == "export":
        for setting in rest:
            _check_setting(setting)
    checked = _PROGRAMS.get(program.removeprefix(".venv/bin/"))
    if checked is not None:
        checked(rest, command.fed)
    else:
        assert program in _ANY_UNIX | _INSTALLERS, f"nothing here can check {program}: mark the block"


def _check_setting(setting: str) -> None:
    name = setting.partition("=")[0]
    if name.startswith(PREFIX):
        assert name.removeprefix(PREFIX).lower() in Settings.model_fields or name in _VARIABLE_OF_A_RUN, name


def _docent(arguments: Sequence[str], fed: str) -> None:
    """As it is parsed before it runs; nothing is run."""
    command: Any = typer.main.get_command(cli)
    context = typer.Context(command)
    rest = list(arguments)
    if rest == ["--version"]:
        return
    while hasattr(command, "commands"):
        assert rest, "a group alone only shows its help"
        assert rest[0] in command.commands, rest[0]
        _, command, rest = command.resolve_command(context, rest)
        context = typer.Context(command, parent=context)
    command.make_context(command.name, rest)


def _make(arguments: Sequence[str], fed: str) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for word in arguments:
        name, is_variable, _ = word.partition("=")
        if is_variable:
            assert re.search(rf"\$\((?:or \$\()?{name}\b|\$\({name}\)|if \$\({name}\)", makefile), f"{name} of make"
        else:
            assert re.search(rf"^{re.escape(name)}:", makefile, re.MULTILINE), f"make {name}"


def _python(arguments: Sequence[str], fed: str) -> None:
    if arguments[0] == "-c":
        ast.parse(arguments[1])
        return
    assert arguments[0] == "-m", arguments
    assert find_spec(arguments[1]) is not None, arguments[1]
    if arguments[1].partition(".")[0] in ("bench", "tests"):
        source = Path(str(getattr(find_spec(arguments[1]), "origin", ""))).read_text("utf-8")
        for option in arguments[2:]:
            assert not option.startswith("--") or f'"{option}"' in source, option


def _curl(arguments: Sequence[str], fed: str) -> None:
    """The route is there, takes the method, and its model takes the body."""
    method, body, url, form = "", "", "", False
    given = iter(arguments)
    for word in given:
        if word in ("-X", "-d", "-H", "-F", "--data-binary"):
            value = next(given)
            method = value if word == "-X" else method
            body = (fed if value == "@-" else value) if word in ("-d", "--data-binary") else body
            form = form or word == "-F"
        elif not word.startswith("-"):
            url = word
    if url.endswith("$@"):
        return  # a function around curl: its calls are checked
    path = re.sub(r"^(?:\$DOCENT|https?://[^/]+)", "", url).partition("?")[0]
    endpoint = route(method or ("POST" if body or form else "GET"), path)
    assert not form or endpoint.form_model is not None, path
    if body and not form and endpoint.input_model is not None and "$" not in body:
        endpoint.input_model.model_validate_json(body)


def route(method: str, path: str) -> AnyEndpoint:
    """The one that a call would reach. Shell variables and names in capitals stand for ids."""
    concrete = re.sub(r"\$\w+|\{\w+\}|\b[A-Z]+_ID\b", str(uuid4()), path)
    for endpoint in _endpoints():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(endpoint.path))
        if endpoint.method == method and re.fullmatch(pattern, concrete):
            return endpoint
    raise AssertionError(f"no route takes {method} {path}")


@cache
def _endpoints() -> Sequence[AnyEndpoint]:
    # What is fixed comes before what takes anything, as in the router.
    return sorted(every_endpoint(), key=lambda each: each.path.count("{"))


def as_json(text: str) -> Any:
    """With ids in the place of names in capitals."""
    return json.loads(re.sub(r"\b[A-Z]+_ID\b", str(uuid4()), text))


_PROGRAMS: Mapping[str, Callable[[Sequence[str], str], None]] = {
    "docent": _docent,
    "make": _make,
    "python": _python,
    "python3": _python,
    "curl": _curl,
    "api": lambda rest, fed: _curl(rest, fed) if rest else None,
}
