"""`python -m tests.api`: schemathesis against /openapi.json, on a house where everything that a path names is there.

Examples, boundary values and random ones, right and wrong, each operation alone; then operations one after the other,
with ids from answers before. Exit code 0 when nothing was found. `--examples` bounds the random cases of an operation,
`--seed` draws others. Nothing outside the house is reached: ports behind which the network lies have doubles.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import structlog

from app.agents.agent import Agent, AgentConfig
from app.agents.agents import Agents
from app.workspaces.api_tokens import ApiTokens
from tests.web.house import SITE
from tests.web.live_server import serving
from tests.web.route_examples import FurnishedHouse, furnished

HOOKS = Path(__file__).with_name("schemathesis_hooks.py")
ALONE = ("examples", "coverage", "fuzzing")
LINKED = ("stateful",)
LINKED_FACTOR = 20  # there an example is one sequence through all operations


def configuration(rooms: FurnishedHouse, base: str, phases: tuple[str, ...], examples: int) -> dict[str, Any]:
    operations: list[dict[str, Any]] = [
        # Their tokens come with the hooks, also where these checks have left them out: tests/web asks without one.
        {
            "include-tag": "Visitors",
            "headers": {"Origin": SITE},
            "checks": {"ignored_auth": {"enabled": False}, "missing_required_header": {"enabled": False}},
        },
        # Their protocols answer 400 to what no schema says.
        {
            "include-tag": ["MCP", "OpenAI-compatible"],
            "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", 400, 401, 403, 404, 409, 422]}},
        },
        {"exclude-tag": "Visitors", "headers": {"Authorization": f"Bearer {rooms.house.write}"}},
    ]
    if phases == ALONE:
        known = {f"path.{name}": str(value) for name, value in {**rooms.ids, **rooms.names}.items()}
        operations.append(
            {"exclude-method": "DELETE", "exclude-operation-id": list(rooms.own_ids), "parameters": known}
        )
        for operation, ids in rooms.own_ids.items():
            own = {f"path.{name}": str(value) for name, value in ids.items()}
            operations.append({"include-operation-id": operation, "parameters": {**known, **own}})
    return {
        "base-url": base,
        "hooks": str(HOOKS),
        "continue-on-failure": True,
        "request-timeout": 20.0,  # seconds, of a busy machine
        "max-stream-events": 3,  # some streams have no end
        "generation": {"max-examples": examples, "database": "none"},
        "phases": {
            **{name: {"enabled": name in phases} for name in (*ALONE, *LINKED)},
            # tests/web/test_every_route.py asks each route by a method that it has not
            "coverage": {"enabled": "coverage" in phases, "unexpected-methods": ["query"]},
        },
        # What no schema says: an expression that compiles, an address that may be dialled, fields that go together.
        "checks": {
            "positive_data_acceptance": {"expected-statuses": ["2xx", 401, 403, 404, 409, 422]},
            # Not in sequences: there a link replaces the body of a case that still counts as wrong.
            "negative_data_rejection": {
                "enabled": phases == ALONE,
                "expected-statuses": [400, 401, 403, 404, 405, 409, 413, 415, 422],
            },
        },
        "operations": operations,
    }


async def run(examples: int, seed: int, more: list[str]) -> int:
    codes = []
    for phases, most in ((ALONE, examples), (LINKED, LINKED_FACTOR * examples)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            async with furnished(folder) as rooms, serving(rooms.house.app) as (_, http):
                base = str(http.base_url)
                config = configuration(rooms, base, phases, most)
                environment = {
                    "DOCENT_API_BASE": base,
                    "DOCENT_API_AGENT": str((await visited_agent(rooms)).id),
                    "DOCENT_API_KEPT": ",".join(await ids_to_keep(rooms)),
                }
                codes.append(await schemathesis_run(config, environment, folder, seed, more))
    return max(codes)


async def visited_agent(rooms: FurnishedHouse) -> Agent:
    """For the visitors, whoever edits the other one."""
    agents, actor = rooms.house.parts.get(Agents), rooms.house.actor
    agent = await agents.create(actor, AgentConfig("Visited", allowed_origins=(SITE,), live_chat=True))
    await agents.publish(actor, agent.id)
    return agent


async def ids_to_keep(rooms: FurnishedHouse) -> list[str]:
    """Of what was there at the start: whoever deleted it would leave nothing for the others to find."""
    tokens = await rooms.house.parts.get(ApiTokens).of_workspace(rooms.house.actor)
    return [str(each) for each in (*rooms.ids.values(), *(token.id for token in tokens))]


async def schemathesis_run(
    config: dict[str, Any], environment: dict[str, str], folder: Path, seed: int, more: list[str]
) -> int:
    file, base = folder / "schemathesis.toml", config["base-url"]
    file.write_text(toml(config), "utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(file), "run", f"{base}/openapi.json"),
        *("--seed", str(seed), *more),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        cwd=folder,
    )
    return await process.wait()


def toml(value: dict[str, Any]) -> str:
    """Every table inline, every string as JSON writes it."""

    def inline(item: Any) -> str:
        if isinstance(item, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {inline(inner)}" for key, inner in item.items()) + "}"
        if isinstance(item, list):
            return "[" + ", ".join(map(inline, item)) + "]"
        return json.dumps(item)

    return "".join(f"{key} = {inline(item)}\n" for key, item in value.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options, more = parser.parse_known_args()
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())  # a line for each request says nothing here
    print(f"seed {options.seed}, {options.examples} examples an operation", flush=True)  # noqa: T201
    return asyncio.run(run(options.examples, options.seed, more))


if __name__ == "__main__":
    sys.exit(main())
