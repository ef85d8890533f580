"""One web process: the only one of `docent serve`, or one of several."""

import asyncio
import gc
import signal
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog
import uvicorn
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from app.bootstrap.infrastructure import NO_DOUBLES, Doubles, Infrastructure, open_infrastructure
from app.cli.command_question import question_of, replies
from app.cli.serving.child_process import keep_worker
from app.cli.serving.listening import Member, bound_sockets
from app.cli.serving.server_socket import serving_commands
from app.kit.process_limits import YOUNG_COLLECTIONS, connections_that_fit
from app.kit.tasks import end_task
from app.main import Web, open_app
from app.settings import Settings
from app.turns.turns import Turns
from app.web.health import Exposition, exposition_of
from app.web.middleware.bounded_http import bounded_http
from app.workspaces.first_account import FirstAccount

# If several web processes share a port, each serves its own metrics on a Unix socket. The process that receives a
# request for metrics collects those of all, with the process's number as the label `process`.
_PATIENCE_SECONDS: Final = 1.0  # a process that does not answer in time is left out


@asynccontextmanager
async def metrics_of_group(own: CollectorRegistry, place: Path) -> AsyncIterator[Exposition]:
    """Serve the metrics `own` on the Unix socket `place` while the block runs; its file name is the process's number.
    Yields a function that renders the metrics of all processes in the same folder, or only `own` if the folder cannot
    have sockets."""
    own_text = exposition_of(own)

    async def serve_own(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await own_text())
        writer.close()

    async def render_all() -> bytes:
        others = [other for other in sorted(place.parent.glob("*.sock")) if other != place]
        texts = await asyncio.gather(own_text(), *map(_metrics_at, others))
        by_process = {each.stem: text for each, text in zip((place, *others), texts, strict=True) if text}
        return await asyncio.to_thread(_merged, by_process)

    _forget(place)  # the socket of a process that died
    try:
        server = await asyncio.start_unix_server(serve_own, place)
    except OSError:
        yield own_text
        return
    try:
        yield render_all
    finally:
        server.close()
        _forget(place)


def _forget(place: Path) -> None:
    place.unlink(missing_ok=True)


async def _metrics_at(place: Path) -> bytes:
    """The metrics of the process at `place`; empty if it does not answer."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            reader, writer = await asyncio.open_unix_connection(place)
            try:
                return await reader.read()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return b""


def _merged(texts: Mapping[str, bytes]) -> bytes:
    """The metrics of all processes, by process number, in one text. The format requires each family to appear once."""
    families: dict[str, Metric] = {}
    for process, text in sorted(texts.items()):
        for family in text_string_to_metric_families(text.decode()):
            kept = families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
            kept.samples += [sample._replace(labels={"process": process} | sample.labels) for sample in family.samples]
    return generate_latest(_Collected(families.values()))


class _Collected(CollectorRegistry):
    def __init__(self, families: Iterable[Metric]) -> None:
        super().__init__()
        self._families = families

    def collect(self) -> Iterator[Metric]:
        yield from self._families


log = structlog.get_logger(__name__)

_BEYOND_DRAIN_SECONDS: Final = 4
_BACKLOG: Final = 128  # connections that wait for us to accept them; connection limits do not count them yet


class DrainingServer(uvicorn.Server):
    """On the first signal, lets running turns finish within `drain_seconds` while their streams stay open."""

    def __init__(self, config: uvicorn.Config, turns: Turns, drain_seconds: float, first_account: str) -> None:
        """`first_account` is the URL or path of the page that creates the first account; "" if there is one already."""
        super().__init__(config)
        self._first_account = first_account
        self._turns = turns
        self._drain_seconds = drain_seconds
        self.ends_with: asyncio.Task[None] | None = None  # cancelled when draining begins

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        _freeze_long_lived()
        for listening in (sock for server in self.servers for sock in server.sockets):
            host, port = listening.getsockname()[:2]
            log.info("server.started", url=f"http://{host}:{port}")
            if self._first_account:
                is_path = self._first_account.startswith("/")
                here = f"http://{host}:{port}" if is_path else ""
                log.info("server.has_no_account", create_one=f"{here}{self._first_account}")

    async def shutdown(self, sockets: Any = None) -> None:
        draining = asyncio.create_task(self._turns.drain(self._drain_seconds))
        if self.ends_with:
            self.ends_with.cancel()
        await super().shutdown(sockets)
        await draining


async def serve_alone(settings: Settings, with_worker: bool, member: Member | None = None) -> None:
    """Run this web process until SIGTERM or SIGINT. `member` is set for one of several processes."""
    settings = _with_fitting_connections(settings)
    sockets = member.sockets if member else bound_sockets(settings.host, settings.port)
    log.info("server.opening", data=str(settings.data.resolve()))
    async with AsyncExitStack() as opened:
        web = await opened.enter_async_context(open_app(settings, await _doubles(settings, member, opened)))
        if member is None or member.number == 1:  # of several processes, only the first serves commands
            await opened.enter_async_context(serving_commands(settings.data, partial(_replies, web)))
        config = uvicorn.Config(
            web.app,
            http=bounded_http(web.app.state.connections),
            ws="none",
            backlog=_BACKLOG,
            lifespan="off",
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,  # the application decides which proxies it trusts
            timeout_graceful_shutdown=int(settings.shutdown_seconds) + _BEYOND_DRAIN_SECONDS,
        )
        path = await web.parts.get(FirstAccount).path() if settings.password_sign_in else ""
        first_account = f"{settings.public_url}{path}" if path else ""
        server = DrainingServer(config, web.answering.turns, settings.shutdown_seconds, first_account)
        for received in (signal.SIGTERM, signal.SIGINT):
            # uvicorn raises the signal again after its shutdown; the default handler would end us before we clean up.
            signal.signal(received, lambda *_: None)
        if with_worker:
            server.ends_with = asyncio.create_task(keep_worker())
            opened.push_async_callback(end_task, server.ends_with)
        await server.serve(sockets)


async def _doubles(settings: Settings, member: Member | None, opened: AsyncExitStack) -> Doubles:
    """For one of several processes, replace its metrics by those of all."""
    if member is None:
        return NO_DOUBLES
    base = await opened.enter_async_context(open_infrastructure(settings))
    exposition = await opened.enter_async_context(metrics_of_group(base.metrics, member.metrics_socket))
    return Doubles({Infrastructure: base, Exposition: exposition})


def _with_fitting_connections(settings: Settings) -> Settings:
    fitting = connections_that_fit(settings.limit_connections)
    if fitting == settings.limit_connections:
        return settings
    log.warning("connections.limited", by="open files of this process (ulimit -n)", connections=fitting)
    return settings.model_copy(update={"limit_connections": fitting})


def _replies(web: Web, question: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    return replies(web.base, web.answering, question_of(question))


def _freeze_long_lived() -> None:
    """Exclude modules and models, which live as long as the process, from garbage collection: traversing their 400,000
    objects would delay every stream by 130 ms. A collection beforehand would free only about a hundred objects."""
    gc.freeze()
    gc.set_threshold(*YOUNG_COLLECTIONS)
