"""One web process: what `docent serve` is, or one of several."""

import asyncio
import gc
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Final

import structlog
import uvicorn

from app.bootstrap.infrastructure import NO_DOUBLES, Doubles, Infrastructure, open_infrastructure
from app.cli.asked_question import question_of, replies
from app.cli.serving.bound_sockets import bound_sockets
from app.cli.serving.child_process import keep_worker
from app.cli.serving.group_metrics import told_by_all
from app.cli.serving.member import Member
from app.cli.serving.process_limits import YOUNG_COLLECTIONS, connections_that_fit
from app.cli.serving.server_socket import asked_by_commands
from app.kit.tasks.supervisor import end_task
from app.main import Web, open_app
from app.settings import Settings
from app.turns.turns import Turns
from app.web.health import Exposition
from app.web.middleware.bounded_http import bounded_http
from app.workspaces.first_account import FirstAccount

log = structlog.get_logger(__name__)

_BEYOND_DRAIN_SECONDS: Final = 4
_BACKLOG: Final = 128  # connections that the system takes before we do: they are not counted yet


class DrainingServer(uvicorn.Server):
    """On the first signal running turns get their time, while streams stay open to carry the ends of them."""

    def __init__(self, config: uvicorn.Config, turns: Turns, drain_seconds: float, first_account: str) -> None:
        """`first_account` is the address of the page for it, or its path; "" if there is an account."""
        super().__init__(config)
        self._first_account = first_account
        self._turns = turns
        self._drain_seconds = drain_seconds
        self.ends_with: asyncio.Task[None] | None = None  # told to end while the turns drain, not after them

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        _leave_alone_what_stays()
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
    """Until told to end. `member` where it is one of several."""
    settings = _that_fit(settings)
    sockets = member.sockets if member else bound_sockets(settings.host, settings.port)
    log.info("server.opening", data=str(settings.data.resolve()))
    async with AsyncExitStack() as opened:
        web = await opened.enter_async_context(open_app(settings, await _doubles(settings, member, opened)))
        if member is None or member.number == 1:  # of several that start at once, one takes the place
            await opened.enter_async_context(asked_by_commands(settings.data, partial(_replies, web)))
        config = uvicorn.Config(
            web.app,
            http=bounded_http(web.app.state.connections),
            ws="none",
            backlog=_BACKLOG,
            lifespan="off",
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,  # the application decides whom it believes
            timeout_graceful_shutdown=int(settings.shutdown_seconds) + _BEYOND_DRAIN_SECONDS,
        )
        path = await web.parts.get(FirstAccount).path() if settings.password_sign_in else ""
        first_account = f"{settings.public_url}{path}" if path else ""
        server = DrainingServer(config, web.answering.turns, settings.shutdown_seconds, first_account)
        for received in (signal.SIGTERM, signal.SIGINT):
            # uvicorn raises the signal once more when it has ended; by default that would kill us before we close.
            signal.signal(received, lambda *_: None)
        if with_worker:
            server.ends_with = asyncio.create_task(keep_worker())
            opened.push_async_callback(end_task, server.ends_with)
        await server.serve(sockets)


async def _doubles(settings: Settings, member: Member | None, opened: AsyncExitStack) -> Doubles:
    """A member's metrics are those of all."""
    if member is None:
        return NO_DOUBLES
    base = await opened.enter_async_context(open_infrastructure(settings))
    told = await opened.enter_async_context(told_by_all(base.metrics, member.metrics_socket))
    return Doubles({Infrastructure: base, Exposition: told})


def _that_fit(settings: Settings) -> Settings:
    fitting = connections_that_fit(settings.limit_connections)
    if fitting == settings.limit_connections:
        return settings
    log.warning("connections.limited", by="open files of this process (ulimit -n)", connections=fitting)
    return settings.model_copy(update={"limit_connections": fitting})


def _replies(web: Web, question: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    return replies(web.base, web.answering, question_of(question))


def _leave_alone_what_stays() -> None:
    """Modules and models live as long as the process. Each full collection would look through their 400,000 objects,
    which holds every stream up for 130 ms. One before that finds a hundred objects to free: it is left out."""
    gc.freeze()
    gc.set_threshold(*YOUNG_COLLECTIONS)
