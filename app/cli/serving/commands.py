"""`docent work` and `docent mcp`, which run until told to stop, and `docent migrate`."""

import asyncio
import gc
import signal
from typing import Annotated

import typer

from app.bootstrap.infrastructure import open_stored, pending_migrations
from app.cli.terminal import AgentName, AsJson, err, fail, out, print_json, run, settings_for
from app.kit.process_limits import YOUNG_COLLECTIONS, share_arenas
from app.main import open_app, open_worker
from app.settings import Settings


def work() -> None:
    """Run a worker: crawl and index what is queued."""
    share_arenas()
    run(_work(settings_for(is_service=True)))


def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="List pending migrations, without running them. Exit code 1 if any.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Migrate the database to this version. Every process also does this when it starts."""
    pending = run(_migrate(settings_for(), check))
    if as_json:
        print_json({"pending": pending if check else [], "done": [] if check else pending})
    elif not pending or not check:
        err.print("The database is up to date.")
    else:
        out.print(f"{len(pending)} migrations are pending. `docent migrate` runs them, and so does every start:")
        out.print("\n".join(f"  {name.replace('_', ' ')}" for name in pending), highlight=False)
    if check and pending:
        raise typer.Exit(1)


async def _work(settings: Settings) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for received in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(received, stopping.set)
    async with open_worker(settings):
        gc.set_threshold(*YOUNG_COLLECTIONS)
        await stopping.wait()


async def _migrate(settings: Settings, is_check: bool) -> list[str]:
    """The migrations that are pending or, without `is_check`, were run."""
    pending = await pending_migrations(settings)
    if not is_check:
        async with open_stored(settings):
            pass
    return pending


def mcp(
    agent: AgentName = None,
    operator: Annotated[
        bool, typer.Option("--operator", help="Serve the operators' tools (gaps, traces, runs) instead of an agent's.")
    ] = False,
) -> None:
    """Serve an agent's tools over the Model Context Protocol.

    On standard input and output, for an assistant that starts this command.
    """
    run(_serve_tools(settings_for(), agent, operator))


async def _serve_tools(settings: Settings, named: str | None, is_operator: bool) -> None:
    from app.channels.mcp_api import MISSING_SDK, McpApi, has_sdk
    from app.cli.local_operator import live_agent, local_operator, meant_agent

    if not has_sdk():
        fail(MISSING_SDK, 2)
    from app.channels.mcp_server import serve_stdio

    async with open_app(settings) as web:
        actor, tools = await local_operator(web.base), web.parts.get(McpApi)
        if is_operator:
            await serve_stdio(tools.operator_server(actor))
            return
        agent = await live_agent(web.base, await meant_agent(web.base, actor, named))
        await serve_stdio(tools.agent_server(agent, actor))
