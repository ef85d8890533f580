"""The reference pages that are made from the code: `make reference` writes them, a test compares them.

Usage: python -m tests.docs.reference_pages
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import typer.main
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from app import overview
from app.cli import cli
from app.model_settings import ModelSettings
from app.serving_settings import ServingSettings, SignInSettings
from app.settings import PREFIX, Settings
from app.web.access import API_SCHEME, VISITOR_SCHEME, ScopedAccess
from app.web.endpoint import AnyEndpoint
from tests.web.house import every_endpoint

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
_MADE = "<!-- Made from the code by `make reference`: a change here is overwritten. -->"
_CALLERS = {API_SCHEME: "API token", VISITOR_SCHEME: "visitor token", None: "anyone"}


def pages() -> dict[str, str]:
    """By file name in docs/reference."""
    return {
        "settings.md": settings_page(),
        "command-line.md": command_line_page(),
        "api.md": api_page(),
        "glossary.md": glossary_page(),
    }


def glossary_page() -> str:
    words = Path(overview.__file__).with_name("glossary.md").read_text("utf-8")
    return f"""# Glossary

{_MADE}

The console's words, which its page Help shows as well. There, each page is explained, too: choose **?** beside a title.

{words}"""


def settings_page() -> str:
    fields = sorted(Settings.model_fields.items(), key=lambda item: _part_of(item[0]))
    rows = [_settings_row(name, field) for name, field in fields]
    return f"""# Settings

{_MADE}

Docent reads these environment variables once, at start. If a value is invalid, the command exits with the variable's
name and the fix. Command-line options take precedence over variables.

| name | default | meaning |
|---|---|---|
{_lines(rows)}

- Changing the embedding model starts an empty vector table beside the old one. The worker fills it when it starts, or
  `docent reindex` does; until then, search uses keywords only.
- The crawler ignores proxy variables of the environment, because a proxy would bypass the check of addresses.
- What an agent answers from, its confidence threshold and its appearance are settings of the agent, not of the
  installation: see [how an agent searches](../search.md), and `PATCH /v1/agents/{{agent_id}}` in the [API](api.md).
"""


def _part_of(name: str) -> int:
    """Those about sign-in come last."""
    if name in ModelSettings.model_fields:
        return 1
    return 2 * (name in ServingSettings.model_fields) + (name in SignInSettings.model_fields)


def command_line_page() -> str:
    parts = []
    for words, command in _commands():
        help_text = _plain(command.help)
        usage = " ".join([*words, *command.collect_usage_pieces(typer.Context(command))])
        parts.append(f"## {' '.join(words)}\n\n{help_text}\n\n`{usage}`\n")
        rows = [row for parameter in command.params if (row := _parameter_row(command, parameter))]
        if rows:
            parts.append(f"| | |\n|---|---|\n{_lines(rows)}\n")
    return f"""# Command line

{_MADE}

Every command has `--help`. With `--json`, commands that have it print only one JSON object on one line to standard
output. Exit codes: 0 for success, 1 for a failure (the last line says what), 2 for an invalid command or setting.

{_lines(parts)}"""


def api_page() -> str:
    parts = []
    endpoints = every_endpoint()
    order = {tag: number for number, tag in enumerate(dict.fromkeys(each.tag for each in endpoints))}
    for tag, group in groupby(sorted(endpoints, key=lambda each: order[each.tag]), key=lambda each: each.tag):
        rows = [f"| `{each.method} {each.path}` | {each.summary} | {_caller(each)} |" for each in group]
        parts.append(f"## {tag}\n\n| call | does | who |\n|---|---|---|\n{_lines(rows)}\n")
    return f"""# API

{_MADE}

A running server documents every call with its fields, responses and errors at `/docs`, and serves an OpenAPI 3.1
document at `/openapi.json`. Both work without an Internet connection.

Calls with an API token (`docent token create`) send `Authorization: Bearer TOKEN`; the token's scopes (`read`, `write`,
`manage`) limit what it may do. Visitors' calls send the visitor token from `POST /v1/widget/init`, and come from an
origin that the agent allows. Every error is `{{"error": {{"code", "message"}}}}`, with `field` if one field is
invalid.

{_lines(parts)}"""


def _settings_row(name: str, field: FieldInfo) -> str:
    default = field.get_default()
    value = default.get_secret_value() if isinstance(default, SecretStr) else default
    shown = f"`{value:g}`" if isinstance(value, float) else "none" if value in ("", (), None) else f"`{value}`"
    return f"| `{PREFIX}{name.upper()}` | {shown} | {field.description} |"


def _commands() -> Iterator[tuple[list[str], Any]]:
    """Every command that does something, with its words."""
    top: Any = typer.main.get_command(cli)
    for name in top.commands:
        _, found, _ = top.resolve_command(typer.Context(top), [name])  # imported only now
        if not hasattr(found, "commands"):
            yield ["docent", name], found
            continue
        for under in found.commands:
            _, command, _ = found.resolve_command(typer.Context(found), [under])
            yield ["docent", name, under], command


def _parameter_row(command: Any, parameter: Any) -> str | None:
    record = parameter.get_help_record(typer.Context(command))
    if record is None or parameter.name == "help":
        return None
    told, meaning = record
    return f"| `{told.strip()}` | {_plain(meaning)} |"


def _plain(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "").strip().replace("|", "\\|")


def _caller(endpoint: AnyEndpoint) -> str:
    access = endpoint.access
    return f"`{access.scope}`" if isinstance(access, ScopedAccess) else _CALLERS[access.scheme]


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(lines)


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
