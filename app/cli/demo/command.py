"""`docent demo`: from an empty folder to an answered visitor."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final
from uuid import UUID

import typer

from app.agents.pages.embed_tag import embed_tag
from app.agents.widget_settings import Theme
from app.bootstrap.infrastructure import open_infrastructure
from app.cli.command_question import AnswerReport
from app.cli.demo.script import ApiClient, ApiRefused, Demonstration, Plan, nimbrel_plan, other_site_plan
from app.cli.demo.site_server import DemoSite, serve_demo_site
from app.cli.doctor.store_counts import store_counts
from app.cli.local_operator import local_operator
from app.cli.operators import operators_on
from app.cli.sources.crawl_progress import crawl_progress, in_words
from app.cli.sources.website_address import check_website, website_address, website_identity
from app.cli.terminal import Allow, AsJson, err, fail, out, print_json, run, settings_for
from app.core.errors import InvalidInput
from app.settings import PREFIX, Settings
from app.sources.discovery import SiteIdentity
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.operator import Role

_USUAL_PORT = 8000
_ENDED_BY_SIGTERM: Final = 128 + signal.SIGTERM
_OPERATOR = "demo@docent.example"
_STOP_SECONDS = 30
_LOOK_SECONDS = 0.1


def demo(
    site: Annotated[str | None, typer.Option(help="Your website. Default: the one that ships with Docent.")] = None,
    ask: Annotated[list[str] | None, typer.Option("--ask", help="An additional question. May be repeated.")] = None,
    once: Annotated[bool, typer.Option("--once", help="Exit when the questions are answered.")] = False,
    allow: Allow = None,
    port: Annotated[int | None, typer.Option(help="Port of the server. Default: 8000, or any free port.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read a website, answer three questions, show the gap, and leave the widget to try."""
    identity = SiteIdentity()
    if site is not None:
        site = website_address(site)
        settings = settings_for(crawl_allow=allow)
        try:
            check_website(site, settings.crawl_allow)
        except InvalidInput as error:
            fail(str(error), 2)
        identity = run(website_identity(settings, site))
    with orderly_end(), ExitStack() as closing:
        data = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="docent-demo-")))
        shown = closing.enter_context(serve_demo_site())
        stage = _Stage(data, free_port(port or (None if once else _USUAL_PORT)), shown, site, allow, identity)
        settings = settings_for(log_level="warning", **stage.overrides())
        token, password = run(_first_accounts(settings))
        client = ApiClient(stage.base, token)
        err.print("Starting the server.")
        closing.enter_context(running_server(client, stage.environment()))
        try:
            report = _play(client, stage, tuple(ask or ()), as_json)
        except ApiRefused as error:
            fail(str(error))
        if as_json:
            stores = run(_stores(settings, report.pop("agent_id")))
            print_json({"pages": stores["documents"], "chunks": stores["chunks"], **report, "stores": stores})
        if not once:
            err.print(f"\nTry the widget: [bold]{stage.visit_url()}[/]   (API: {stage.base}/docs)")
            err.print(f"The console: [bold]{stage.base}/console[/]")
            err.print(f"  as {_OPERATOR}, password {password}")
            err.print("Ctrl-C ends the demo and removes its data.")
            try:
                threading.Event().wait()
            except KeyboardInterrupt:
                err.print("Ending.")


@dataclass(frozen=True, slots=True)
class _Stage:
    """The data folder, port and website of one demonstration."""

    data: Path
    port: int
    shown: DemoSite
    site: str | None
    allow: str | None
    identity: SiteIdentity

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def overrides(self) -> dict[str, Any]:
        allowed = self.shown.base.removeprefix("http://")
        return {"data": self.data, "crawl_allow": self.allow if self.site else allowed}

    def environment(self) -> dict[str, str]:
        """For the child processes. The website that ships with Docent is crawled without delays."""
        values = {"DATA": str(self.data), "PORT": str(self.port), "HOST": "127.0.0.1", "LOG_LEVEL": "warning"}
        if self.overrides()["crawl_allow"]:
            values["CRAWL_ALLOW"] = self.overrides()["crawl_allow"]
        if not self.site:
            values["CRAWL_DELAY_SECONDS"] = "0"
        return {PREFIX + name: value for name, value in values.items()}

    def plan(self, more: tuple[str, ...]) -> Plan:
        if self.site:
            return other_site_plan(self.site, self.identity.name, self.identity.color, self.shown.base, more)
        return nimbrel_plan(self.shown.base, more)

    def visit_url(self) -> str:
        return f"{self.shown.base}/try-the-widget" if self.site else f"{self.shown.base}/"


def _play(client: ApiClient, stage: _Stage, more: tuple[str, ...], quiet: bool) -> dict[str, Any]:
    plan = stage.plan(more)
    demonstration = Demonstration(client, plan)
    demonstration.set_up()
    stage.shown.tag = embed_tag(stage.base, demonstration.agent_id, Theme(primary_color=plan.color or None))
    with crawl_progress() as show:
        ended = demonstration.crawl(show)
    problem = demonstration.why_nothing_was_read(ended)
    if problem:
        fail(f"{stage.site or 'The website'} was not read: {problem.rstrip('.')}. Correct the address, or try another.")
    err.print(f"Read: {in_words(ended['counts'])}.")
    reports = [_ask(demonstration, question, quiet) for question in demonstration.questions()]
    golden = demonstration.golden_marks()
    gaps = demonstration.gaps()
    if not quiet:
        out.print("\n[bold]What the website could not answer[/]")
        for gap in gaps:
            out.print(f"  {gap['count']} x {gap['question']}")
        if golden:
            out.print("\n[bold]Golden questions[/]")
        for mark in golden:
            lacks = f" (the answer lacks: {', '.join(mark['missing'])})" if mark["missing"] else ""
            out.print(f"  {'right' if mark['is_right'] else 'wrong'}  {mark['question']}{lacks}", markup=False)
    answers = [report.as_json() for report in reports]
    return {"agent_id": demonstration.agent_id, "questions": answers, "golden": golden, "gaps": gaps}


def _ask(demonstration: Demonstration, question: str, quiet: bool) -> AnswerReport:
    report = AnswerReport(question)
    if not quiet:
        out.print(f"\n[bold]{question}[/]")
    for payload, seconds in demonstration.ask(question):
        text = report.take(payload, seconds)
        if not quiet:
            out.print(text, end="", highlight=False, markup=False, soft_wrap=True)
    if not quiet:
        report.print_end(out)
    return report


async def _first_accounts(settings: Settings) -> tuple[str, str]:
    """Create an API token and an operator; return the token and the operator's password."""
    password = secrets.token_urlsafe(12)
    async with open_infrastructure(settings) as base:
        actor = await local_operator(base)
        issued = await ApiTokens(base.record, base.clock).issue(actor, "demo")
        await operators_on(base).add(actor, _OPERATOR, Role.ADMIN, password)
    return issued.token, password


async def _stores(settings: Settings, agent_id: str) -> dict[str, Any]:
    async with open_infrastructure(settings) as base:
        return asdict(await store_counts(base.record, base.indexes, UUID(agent_id)))


@contextmanager
def orderly_end() -> Iterator[None]:
    """Make the first SIGTERM within the block raise SystemExit, so that the command cleans up as after Ctrl-C. Later
    ones are ignored. Call it in the main thread."""

    def end(signum: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(_ENDED_BY_SIGTERM)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def running_server(client: ApiClient, environment: dict[str, str], *, with_worker: bool = True) -> Iterator[None]:
    """Run `docent serve` while the block runs, which is entered once the server is ready."""
    command = [sys.executable, "-m", "app.cli", "serve", *(["--with-worker"] if with_worker else [])]
    process = None
    try:
        with _sigterm_waits():
            process = subprocess.Popen(command, env=os.environ | environment, stdout=sys.stderr)  # noqa: S603 - ourselves
        _wait_until_ready(client, process)
        yield
    finally:
        if process is not None:
            _end(process)


@contextmanager
def _sigterm_waits() -> Iterator[None]:
    """Defer SIGTERM to the end of the block, so that a child process is never started without being recorded. Does
    nothing outside the main thread, where handlers cannot be set."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda signum, _: came.append(signum))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        for signum in came:
            signal.raise_signal(signum)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_until_ready(client: ApiClient, process: "subprocess.Popen[bytes]") -> None:
    while not client.is_ready():
        if process.poll() is not None:
            fail(f"The server ended at once with exit code {process.returncode}; see its output above.")
        time.sleep(_LOOK_SECONDS)


def free_port(wanted: int | None) -> int:
    """`wanted` if it is free, else any free port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted or 0))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
