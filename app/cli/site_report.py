"""`docent report`: writes what a website answers, and what is wrong with its pages, to one HTML file."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Final

import typer

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.model_endpoints import NO_NAMES
from app.agents.retrieval_settings import RetrievalSettings
from app.answers.playground import Quotes
from app.bootstrap.answering import open_playground
from app.bootstrap.infrastructure import open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.cli.demo.command import orderly_end
from app.cli.local_operator import ALONE, NO_CHAT_MODELS, local_operator
from app.cli.sources.crawl_progress import asking_progress
from app.cli.sources.run_now import read_now
from app.cli.sources.website_address import check_website, website_address, website_identity
from app.cli.terminal import Allow, AsJson, fail, out, print_json, run, settings_for
from app.core.errors import InvalidInput
from app.core.list_page import PageRequest
from app.kit.job_queue import InlineJobQueue
from app.settings import Settings
from app.site_report.questions import given_questions
from app.site_report.site_report import ReportQuestion, SiteReport, Verdict
from app.site_report.site_reports import SiteReports, report_page
from app.sources.kinds import SITE
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.source import READ_STATUSES, SourceConfig

_MOST_PAGES: Final = 500
_PATIENT_MS: Final = 30_000  # budget of the reranker, so long that a busy machine does not change the answers
_SETTINGS: Final[dict[str, Any]] = {**ALONE, **NO_CHAT_MODELS, "embeddings_url": "", "rerank_url": ""}


def report(
    site: Annotated[str, typer.Argument(help="The website's root.")],
    to: Annotated[Path, typer.Option("--out", help="The HTML file to write.")] = Path("report.html"),
    questions: Annotated[
        Path | None, typer.Option(help="A CSV file of real questions: a column named question, or the first one.")
    ] = None,
    max_pages: Annotated[int, typer.Option(min=1, help="Maximum number of pages to read.")] = _MOST_PAGES,
    allow: Allow = None,
    as_json: AsJson = False,
) -> None:
    """Read a website, ask it questions made from its own headings, and write what it answers, what it contradicts and
    what has aged to one HTML file. Needs no key, asks no chat model, and keeps nothing else."""
    began = perf_counter()
    site = website_address(site)
    with orderly_end(), ExitStack() as closing:
        data = closing.enter_context(tempfile.TemporaryDirectory(prefix="docent-report-"))
        settings = settings_for(data=Path(data), crawl_allow=allow, **_SETTINGS)
        try:
            check_website(site, settings.crawl_allow)
            if not to.absolute().parent.is_dir():
                raise InvalidInput("", f"--out: there is no folder {to.parent}.")
            given = given_questions(questions.read_text("utf-8")) if questions else []
        except InvalidInput as error:
            fail(str(error), 2)
        except (OSError, UnicodeDecodeError) as error:
            fail(f"--questions: {questions} cannot be read: {error}", 2)
        made = run(_report(settings, site, max_pages, given))
    try:
        to.write_text(report_page(made), "utf-8")
    except OSError as error:
        fail(f"--out: {to} cannot be written: {error.strerror}", 2)
    seconds = round(perf_counter() - began, 1)
    if as_json:
        print_json(made.as_json() | {"file": str(to), "seconds": seconds})
    else:
        _print(made, to, seconds)


async def _report(settings: Settings, site: str, max_pages: int, given: Sequence[ReportQuestion]) -> SiteReport:
    name = (await website_identity(settings, site)).name
    config = SourceConfig(SITE, name, site, max_pages=max_pages)
    async with open_infrastructure(settings) as base, open_playground(base) as playground:
        actor = await local_operator(base)
        async with open_knowledge(base) as knowledge:
            agents = Agents(base.record, InlineJobQueue(knowledge.jobs), NO_NAMES)
            retrieval = RetrievalSettings(rerank_budget_ms=_PATIENT_MS)
            agent = await agents.create(actor, AgentConfig(name=name, retrieval=retrieval))
            await agents.publish(actor, agent.id)
            source = await base.record.of_workspace(actor.workspace_id).write(
                lambda tx: SourceRecords(tx).create(agent.id, config)
            )
            ended = await read_now(base, knowledge, actor, source)
        if not any(ended.counts.get(status) for status in READ_STATUSES):
            pages = await base.record.of_agent(agent.id).read(
                lambda tx: CrawlPageRecords(tx).pages(ended.id, PageRequest(1))
            )
            why = next((page.reason for page in pages.items if page.reason), ended.stop_reason)
            fail(f"{site} was not read: {why.rstrip('.')}. Correct the address, or try again later.")
        with asking_progress() as show:
            reports = SiteReports(base.record, Quotes(playground), base.clock)
            return await reports.of_source(actor, source, ended, given, show)


def _print(made: SiteReport, to: Path, seconds: float) -> None:
    answered = made.share(Verdict.ANSWERED)
    for line in (
        f"Pages read: {made.read}, not read: {len(made.unread)}.",
        f"Questions of their headings that the page itself answers: {answered.count} of {answered.total}.",
        f"Contradictions: {len(made.contradictions)}, aged facts: {len(made.ageing)}, "
        f"weak pages: {len(made.weaknesses)}.",
        f"Written to {to} in {seconds:g} s. Open it in a browser.",
    ):
        out.print(line, highlight=False, markup=False)
