"""The configuration files for MCP clients name addresses and commands that there are."""

import json
from typing import Any

import typer.main

from app.cli import cli
from app.settings import PREFIX, Settings
from tests.docs.checked_commands import route
from tests.docs.fenced_blocks import blocks

PAGE = "docs/how-to/mcp.md"
FILES: list[dict[str, Any]] = [
    json.loads(each.code) for each in blocks() if each.page == PAGE and each.language == "json"
]
SERVERS = [server for file in FILES for servers in file.values() for server in servers.values()]


def test_each_client_reaches_an_agent_by_a_token_or_starts_a_command() -> None:
    assert len(SERVERS) == 3
    for server in SERVERS:
        if "url" in server:
            assert server["url"].startswith("https://")
            assert route("POST", server["url"].removeprefix("https://docent.example.com")).operation == "callAgentByMcp"
            assert server["headers"]["Authorization"].startswith("Bearer ")
        else:
            name, *arguments = server["args"]
            group: Any = typer.main.get_command(cli)
            _, command, _ = group.resolve_command(typer.Context(group), [name])
            command.make_context(name, arguments)
            assert {each.removeprefix(PREFIX).lower() for each in server["env"]} <= set(Settings.model_fields)
