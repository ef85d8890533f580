"""`docent serve` and `docent work`: the two processes that run."""

import asyncio
import errno
import gc
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

import structlog
import typer
import uvicorn

from app.bootstrap.infrastructure import open_stored, pending_migrations
from app.cli.asked_question import question_of, replies
from app.cli.serving.process_limits import connections_that_fit, share_arenas
from app.cli.serving.server_socket import asked_by_commands
from app.cli.terminal import AgentName, AsJson, err, fail, out, print_json, run, settings_for
from app.kit.tasks.supervisor import Supervisor
from app.main import Web, open_app, open_worker
from app.settings import Settings
from app.turns.turns import Turns
from app.web.middleware.bounded_http import bounded_http

log = structlog.get_logger(__name__)

_WORKER_RESTART_SECONDS = 2.0
_WORKER_STOP_SECONDS = 15.0
_BEYOND_DRAIN_SECONDS = 4
_BACKLOG = 128  # connections that the system takes before we do: they are not counted yet
_YOUNG_COLLECTIONS = (700, 10, 10)  # Python's own, which a starting command raises


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 picks one.")] = None,
    with_worker: Annotated[
        bool, typer.Option("--with-worker", help="Run a worker beside it, restarted if it dies.")
    ] = False,
    limit_header_bytes: Annotated[int | None, typer.Option(help="Longest head of a request, in bytes.")] = None,
    limit_headers: Annotated[int | None, typer.Option(help="Most headers of a request.")] = None,
    limit_header_seconds: Annotated[float | None, typer.Option(help="Time for the headers to come.")] = None,
    limit_body_seconds: Annotated[float | None, typer.Option(help="Time for the body to come.")] = None,
    limit_connections: Annotated[int | None, typer.Option(help="Open connections in all.")] = None,
    limit_connections_per_address: Annotated[int | None, typer.Option(help="Of those, from one address.")] = None,
) -> None:
    """Serve the widget and the API."""
    share_arenas()
    settings = settings_for(
        is_service=True,
        host=host,
        port=port,
        limit_header_bytes=limit_header_bytes,
        limit_headers=limit_headers,
        limit_header_seconds=limit_header_seconds,
        limit_body_seconds=limit_body_seconds,
        limit_connections=limit_connections,
        limit_connections_per_address=limit_connections_per_address,
    )
    run(_serve(_that_fit(settings), with_worker))


def work() -> None:
    """Crawl and index what the queue holds, until told to stop."""
    share_arenas()
    run(_work(settings_for(is_service=True)))


def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing: exit code 1 and a list where migrations are pending.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the database to this version's shape. Every process that starts does so too."""
    pending = run(_migrate(settings_for(), check))
    if as_json:
        print_json({"pending": pending if check else [], "done": [] if check else pending})
    elif not pending or not check:
        err.print("The database is up to date.")
    else:
        out.print(f"{len(pending)} migrations are pending; `docent migrate` runs them, as every start does:")
        out.print("\n".join(f"  {name.replace('_', ' ')}" for name in pending), highlight=False)
    if check and pending:
        raise typer.Exit(1)


class DrainingServer(uvicorn.Server):
    """On the first signal running turns get their time, while streams stay open to carry the ends of them."""

    def __init__(self, config: uvicorn.Config, turns: Turns, drain_seconds: float) -> None:
        super().__init__(config)
        self._turns = turns
        self._drain_seconds = drain_seconds
        self.ends_with: asyncio.Task[None] | None = None  # told to end while the turns drain, not after them

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        _leave_alone_what_stays()
        for listening in (sock for server in self.servers for sock in server.sockets):
            host, port = listening.getsockname()[:2]
            log.info("server.started", url=f"http://{host}:{port}")

    async def shutdown(self, sockets: Any = None) -> None:
        draining = asyncio.create_task(self._turns.drain(self._drain_seconds))
        if self.ends_with:
            self.ends_with.cancel()
        await super().shutdown(sockets)
        await draining


def _that_fit(settings: Settings) -> Settings:
    fitting = connections_that_fit(settings.limit_connections)
    if fitting == settings.limit_connections:
        return settings
    log.warning("connections.limited", by="open files of this process (ulimit -n)", connections=fitting)
    return settings.model_copy(update={"limit_connections": fitting})


def _check_address(host: str, port: int) -> None:
    """Before anything is opened. Ends the command where nobody could listen there."""
    try:
        [(family, kind, _, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror:
        fail(f"DOCENT_HOST: there is no address {host}; 127.0.0.1 serves this machine, 0.0.0.0 its networks.", 2)
    except PermissionError:
        fail(f"DOCENT_PORT: this account may not listen on {port}; choose a port from 1024 up, such as --port 8000.", 2)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            fail(f"DOCENT_PORT: port {port} is in use; stop what listens there, or choose another with --port.", 2)
        fail(f"DOCENT_HOST: {host} is not an address of this machine; choose one with --host.", 2)


async def _serve(settings: Settings, with_worker: bool) -> None:
    _check_address(settings.host, settings.port)
    log.info("server.opening", data=str(settings.data.resolve()))
    async with open_app(settings) as web, asked_by_commands(settings.data, partial(_replies, web)):
        config = uvicorn.Config(
            web.app,
            http=bounded_http(web.app.state.connections),
            ws="none",
            backlog=_BACKLOG,
            host=settings.host,
            port=settings.port,
            lifespan="off",
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,  # the application decides whom it believes
            timeout_graceful_shutdown=int(settings.shutdown_seconds) + _BEYOND_DRAIN_SECONDS,
        )
        server = DrainingServer(config, web.answering.turns, settings.shutdown_seconds)
        for received in (signal.SIGTERM, signal.SIGINT):
            # uvicorn raises the signal once more when it has ended; by default that would kill us before we close.
            signal.signal(received, lambda *_: None)
        supervising = asyncio.create_task(_keep_worker()) if with_worker else None
        server.ends_with = supervising
        try:
            await server.serve()
        finally:
            if supervising:
                supervising.cancel()
                await asyncio.gather(supervising, return_exceptions=True)


def _replies(web: Web, question: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    return replies(web.base, web.answering, question_of(question))


def _leave_alone_what_stays() -> None:
    """Modules and models live as long as the process. Each full collection would look through their 400,000 objects,
    which holds every stream up for 130 ms. One before that finds a hundred objects to free: it is left out."""
    gc.freeze()
    gc.set_threshold(*_YOUNG_COLLECTIONS)


async def _work(settings: Settings) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for received in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(received, stopping.set)
    async with open_worker(settings):
        gc.set_threshold(*_YOUNG_COLLECTIONS)
        await stopping.wait()


async def _migrate(settings: Settings, is_check: bool) -> list[str]:
    """Those that are pending, or were."""
    pending = await pending_migrations(settings)
    if not is_check:
        async with open_stored(settings):
            pass
    return pending


async def _keep_worker() -> None:
    """One worker process beside this one; it inherits the environment."""
    await Supervisor().keep_going("worker process", _run_worker, rest_seconds=_WORKER_RESTART_SECONDS)


async def _run_worker() -> None:
    # Popen and not the loop's own: it starts the child without running this process's fork hooks.
    worker = subprocess.Popen([sys.executable, "-m", "app.cli", "work"])  # noqa: ASYNC220 - ourselves
    try:
        code = await asyncio.to_thread(worker.wait)
    except asyncio.CancelledError:
        worker.terminate()
        try:
            await asyncio.to_thread(worker.wait, _WORKER_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            worker.kill()
            await asyncio.to_thread(worker.wait)
        raise
    log.error("worker.died", exit_code=code, restart_in_seconds=_WORKER_RESTART_SECONDS)
    await asyncio.sleep(_WORKER_RESTART_SECONDS)


def mcp(
    agent: AgentName = None,
    operator: Annotated[
        bool, typer.Option("--operator", help="The operators' tools in place of an agent's: gaps, traces, runs.")
    ] = False,
) -> None:
    """Serve an agent's tools by the Model Context Protocol.

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
            await serve_stdio(tools.of_operators(actor))
            return
        agent = await live_agent(web.base, await meant_agent(web.base, actor, named))
        await serve_stdio(tools.of_agent(agent, actor))
