"""Makes the report on a website that an agent has read, as a value and as one HTML file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from itertools import groupby
from typing import Final
from uuid import UUID

from anyio import to_thread

from app.answers.playground import PlaygroundQuestion, Quotes
from app.core.actor import Actor
from app.core.chunk import Chunk
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import collected
from app.kit.clock import Clock
from app.kit.tasks import few_at_once
from app.kit.wiring import Wired
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.site_report.ageing_facts import ageing_facts, is_post, is_under_date
from app.site_report.answer_verdict import judged, weaknesses
from app.site_report.contradictions import contradictions
from app.site_report.ordered_report import OrderedReport, ReportKind
from app.site_report.questions import given_questions, made_questions
from app.site_report.report_orders import MadeReport, Progress, ReportMaker, ReportOrders
from app.site_report.site_report import (
    AgeingKind,
    JudgedAnswer,
    Origin,
    ReportQuestion,
    SiteReport,
    Verdict,
    WeaknessKind,
)
from app.site_report.statements import statements
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.source import ENDED_STATES, CrawlRun, PageStatus, Source
from app.sources.sources import Sources
from app.store.system_of_record import SystemOfRecord
from app.web.console.rendering import rendered

_MOST_CHUNKS: Final = 50_000
_AT_ONCE: Final = 4


class SiteReports(ReportMaker):
    kind = ReportKind.WEBSITE

    def __init__(self, records: SystemOfRecord, quotes: Quotes, clock: Clock) -> None:
        super().__init__(records, clock)
        self._playground = quotes.playground

    async def make(self, actor: Actor, report: OrderedReport, on_progress: Progress) -> MadeReport:
        """One that `WebsiteReports` has ordered. Raises as `of_source` does."""
        source = await self._records.of_agent(report.agent_id).read(
            lambda tx: SourceRecords(tx).source(report.agent_id, UUID(report.wanted["source_id"]))
        )
        if source.run is None:
            raise NotFound("reading of the source")
        given = [ReportQuestion(text, Origin.GIVEN) for text in report.wanted["questions"]]
        made = await self.of_source(actor, source, source.run, given, on_progress)
        return MadeReport(made.as_json(), await to_thread.run_sync(report_page, made))

    async def of_source(
        self, actor: Actor, source: Source, run: CrawlRun, given: Sequence[ReportQuestion], on_progress: Progress
    ) -> SiteReport:
        """Report on the pages that the `run` of the source has read, by asking the questions made from them and the
        `given` ones. `on_progress` receives the number of answers and of questions. Raises NotFound if the agent is not
        published, IndexUnavailable."""
        own = self._records.of_agent(source.agent_id)
        chunks = await own.read(lambda tx: LiveDocumentRecords(tx).first_chunks(source.agent_id, _MOST_CHUNKS))
        statuses = await collected(lambda page: own.read(lambda tx: CrawlPageRecords(tx).pages(run.id, page)))
        pages = [list(page) for _, page in groupby(chunks, key=lambda chunk: chunk.document_id)]
        posts = {page[0].url for page in pages if await to_thread.run_sync(is_post, page)}
        questions = await to_thread.run_sync(made_questions, pages, posts)
        texts = {page[0].url: "\n".join(chunk.text for chunk in page) for page in pages}
        ask = partial(self._judged_answer, actor, source.agent_id, texts=texts)
        all_questions = [*questions, *given]
        answers = await few_at_once(all_questions, ask, _AT_ONCE, lambda done: on_progress(done, len(all_questions)))
        today = self._clock.now().date()
        return await to_thread.run_sync(_report, source, run, today, pages, posts, statuses, answers)

    async def _judged_answer(
        self, actor: Actor, agent_id: UUID, question: ReportQuestion, texts: Mapping[str, str]
    ) -> JudgedAnswer:
        trial = PlaygroundQuestion(question.text, language=question.language)
        return judged(question, await self._playground.ask(actor.workspace_id, agent_id, trial, "live"), texts)


class WebsiteReports(Wired):
    """Orders of reports on what a source has read."""

    _sources: Sources
    _orders: ReportOrders

    async def order(self, actor: Actor, agent_id: UUID, source_id: UUID, questions: str) -> OrderedReport:
        """`questions` is a CSV file of real ones, as `given_questions` reads it, or "". Raises NotFound, and
        InvalidInput as `ReportOrders.order` does, and for a source that has not been read."""
        source = await self._sources.source(actor, source_id)
        if source.agent_id != agent_id:
            raise NotFound("source")
        if source.run is None or source.run.has_read_nothing or source.run.state not in ENDED_STATES:
            raise InvalidInput("source_id", "This source has not been read to its end. Read it first.")
        given = given_questions(questions, "questions") if questions.strip() else []
        wanted = {"source_id": str(source.id), "questions": [each.text for each in given]}
        return await self._orders.order(actor, agent_id, ReportKind.WEBSITE, source.config.name, wanted)


def _report(
    source: Source,
    run: CrawlRun,
    today: date,
    pages: Sequence[Sequence[Chunk]],
    posts: set[str],
    statuses: Sequence[PageStatus],
    answers: Sequence[JudgedAnswer],
) -> SiteReport:
    standing = [chunk for page in pages if page[0].url not in posts for chunk in page if not is_under_date(chunk)]
    stated = statements(standing)
    languages = Counter(page[0].language for page in pages if page[0].language)
    return SiteReport(
        source.config.url,
        source.config.name,
        today,
        next(iter(dict(languages.most_common(1))), None),
        tuple(statuses),
        run.stop_reason,
        tuple(answers),
        tuple(weaknesses(pages, statuses, answers)),
        tuple(contradictions(stated)),
        tuple(ageing_facts(standing, today)),
        tuple(page[0].url for page in pages if page[0].dated is None),
        len(stated),
        source.config.max_pages,
    )


def report_page(report: SiteReport) -> str:
    """HTML without scripts and without anything from elsewhere."""
    return rendered(
        "site_report/site_report.html",
        report=report,
        Verdict=Verdict,
        AgeingKind=AgeingKind,
        WeaknessKind=WeaknessKind,
        unproven=[each for each in report.answers if each.verdict is not Verdict.ANSWERED],
        weak={kind: [each for each in report.weaknesses if each.kind is kind] for kind in WeaknessKind},
        origins=Counter(each.question.origin.value for each in report.answers),
    )
