"""Makes the report on a website that an agent has read, as a value and as one HTML file."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import groupby
from typing import Final
from uuid import UUID

from anyio import to_thread

from app.answers.playground import PlaygroundAnswer, PlaygroundQuestion, Quotes
from app.core.actor import Actor
from app.core.chunk import Chunk
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import collected
from app.core.text.markdown.blocks import BlockKind, blocks
from app.core.text.words import folded_words, is_spaceless
from app.core.turn import NO_ANSWER, AnsweredBy, Citation
from app.kit.clock import Clock
from app.kit.tasks import few_at_once
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.site_report.ageing_facts import ageing_facts, is_post, is_under_date
from app.site_report.contradictions import contradictions
from app.site_report.ordered_report import OrderedReport, ReportKind
from app.site_report.questions import given_questions, made_questions
from app.site_report.report_orders import MadeReport, OnAsked, ReportMaker, ReportOrders
from app.site_report.site_report import (
    AgeingKind,
    Excerpt,
    JudgedAnswer,
    Origin,
    ReportQuestion,
    SiteReport,
    Verdict,
    Weakness,
    WeaknessKind,
)
from app.site_report.statements import statements
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.source import ENDED_STATES, CrawlRun, PageStatus, Source
from app.sources.sources import Sources
from app.store.system_of_record import SystemOfRecord
from app.web.console.rendering import rendered

# Whether an answer can be proven: sure, and quoted from the page that has the question, with more than a line or
# links. And pages that answer badly: none of their own questions is answered from them, another page has the same
# text, or they are a wall of it.
_LINK: Final = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\n]{1,500}\)")
_LEAST_WORDS: Final = 20  # of what is quoted for a heading; a question may be answered by fewer
NOTHING_FOUND: Final = "Nothing on the website was near enough to the question."
CALLS_A_PERSON: Final = "It reads like a wish to talk to a person."
NOT_QUOTED: Final = "No words of a page were found that support the answer."
UNSURE: Final = "The answer would come with a note that it may be wrong."
LINKS: Final = "The answer is mostly a list of links."
LITTLE: Final = "Only a line of the page was quoted."
ANOTHER_PAGE: Final = "Another page was quoted than the one that has the question."


def judged(question: ReportQuestion, answer: PlaygroundAnswer, page_texts: Mapping[str, str]) -> JudgedAnswer:
    """`page_texts` has the text of each page by its address."""
    verdict, reason = _verdict(question, answer, page_texts)
    quotes = tuple(
        Excerpt(citation.quote, citation.url, citation.title, question.language)
        for citation in answer.citations
        if citation.quote and _is_there(citation, page_texts)
    )
    return JudgedAnswer(question, verdict, reason, answer.answer.strip(), answer.confidence, quotes)


def _verdict(question: ReportQuestion, answer: PlaygroundAnswer, page_texts: Mapping[str, str]) -> tuple[Verdict, str]:
    if answer.answered_by in NO_ANSWER:
        return Verdict.WITHHELD, CALLS_A_PERSON
    if answer.answered_by is AnsweredBy.CURATED:
        return Verdict.ANSWERED, ""
    if answer.answered_by is AnsweredBy.FALLBACK or not answer.citations:
        return Verdict.WITHHELD, NOTHING_FOUND
    quoted = [each for each in answer.citations if each.quote and _is_there(each, page_texts)]
    if not quoted:
        return Verdict.DOUBTFUL, NOT_QUOTED
    if answer.is_low_confidence:
        return Verdict.DOUBTFUL, UNSURE
    if question.pages and not any(each.page in question.pages for each in quoted):
        return Verdict.DOUBTFUL, ANOTHER_PAGE
    if _is_links(answer.answer):
        return Verdict.DOUBTFUL, LINKS
    words = sum(len(folded_words(each.quote or "")) for each in quoted)
    if question.origin in (Origin.TOPIC, Origin.INSTRUCTION) and words < _LEAST_WORDS:
        return Verdict.DOUBTFUL, LITTLE
    return Verdict.ANSWERED, ""


def _is_links(markdown: str) -> bool:
    """Whether most of its words are those of links."""
    linked = sum(len(folded_words(found[1])) for found in _LINK.finditer(markdown))
    return 2 * linked > len(folded_words(_LINK.sub(r"\1", markdown)))


def _is_there(citation: Citation, page_texts: Mapping[str, str]) -> bool:
    """Whether every line of the quote stands on its page, word for word."""
    words = f" {' '.join(folded_words(page_texts.get(citation.page, '')))} "
    lines = (line for block in (citation.quote or "").split("\n") for line in block.split("\t"))
    return all(f" {' '.join(folded_words(line))} " in words for line in lines if folded_words(line))


_WALL_WORDS: Final = 400  # of running text below one heading; a reader sees some 200 at a time
_SPACELESS_A_WORD: Final = 2  # characters, in scripts without spaces between words


def weaknesses(
    pages: Iterable[Sequence[Chunk]], statuses: Iterable[PageStatus], answers: Iterable[JudgedAnswer]
) -> list[Weakness]:
    """By kind, each in the order of the pages; `pages` have their chunks in order."""
    of_page = {page[0].url: page for page in pages if page}
    return [*_unanswered(of_page, answers), *_duplicates(statuses, of_page), *_walls(of_page.values())]


def _unanswered(pages: dict[str, Sequence[Chunk]], answers: Iterable[JudgedAnswer]) -> Iterator[Weakness]:
    asked: dict[str, list[JudgedAnswer]] = defaultdict(list)
    for answer in answers:
        for url in answer.question.pages:
            asked[url].append(answer)
    for url, page in pages.items():
        if asked[url] and not any(_is_from(url, each) for each in asked[url]):
            questions = " · ".join(each.question.text for each in asked[url])
            yield Weakness(WeaknessKind.UNANSWERED, url, page[0].title, questions)


def _is_from(url: str, answer: JudgedAnswer) -> bool:
    """Whether the page was quoted surely, be it a line or links."""
    return answer.reason not in (UNSURE, NOTHING_FOUND) and any(quote.page == url for quote in answer.quotes)


def _duplicates(statuses: Iterable[PageStatus], pages: dict[str, Sequence[Chunk]]) -> Iterator[Weakness]:
    originals = {page[0].document_id: url for url, page in pages.items()}
    for status in statuses:
        original = originals.get(status.document_id) if status.document_id else None
        if status.status == "duplicate" and original is not None:  # another address of the same page has none
            yield Weakness(WeaknessKind.DUPLICATE, status.url, status.title or "", original)


def _walls(pages: Iterable[Sequence[Chunk]]) -> Iterator[Weakness]:
    for page in pages:
        words: dict[tuple[str, ...], int] = defaultdict(int)
        for chunk in page:
            paragraphs = (block.text for block in blocks(chunk.text) if block.kind is BlockKind.PARAGRAPH)
            words[chunk.breadcrumb] += sum(map(_count, paragraphs))
        path, most = max(words.items(), key=lambda each: each[1])
        if most >= _WALL_WORDS:
            where = path[-1] if path else page[0].title
            yield Weakness(WeaknessKind.WALL_OF_TEXT, page[0].url, page[0].title, f"{where}: {most} words")


def _count(text: str) -> int:
    return len(folded_words(text)) + sum(map(is_spaceless, text)) // _SPACELESS_A_WORD


_MOST_CHUNKS: Final = 50_000
_AT_ONCE: Final = 4


class SiteReports(ReportMaker):
    kind = ReportKind.WEBSITE

    def __init__(self, records: SystemOfRecord, quotes: Quotes, clock: Clock) -> None:
        super().__init__(records, clock)
        self._playground = quotes.playground

    async def make(self, actor: Actor, report: OrderedReport, on_asked: OnAsked) -> MadeReport:
        """One that `WebsiteReports` has ordered. Raises as `of_source` does."""
        source = await self._records.of_agent(report.agent_id).read(
            lambda tx: SourceRecords(tx).source(report.agent_id, UUID(report.wanted["source_id"]))
        )
        if source.run is None:
            raise NotFound("reading of the source")
        given = [ReportQuestion(text, Origin.GIVEN) for text in report.wanted["questions"]]
        made = await self.of_source(actor, source, source.run, given, on_asked)
        return MadeReport(made.as_json(), await to_thread.run_sync(report_page, made))

    async def of_source(
        self, actor: Actor, source: Source, run: CrawlRun, given: Sequence[ReportQuestion], on_asked: OnAsked
    ) -> SiteReport:
        """What the `run` of the source has read, asked the questions of its pages and those that are `given`.
        `on_asked` hears how many of how many are answered. Raises NotFound if the agent is not published,
        IndexUnavailable."""
        own = self._records.of_agent(source.agent_id)
        chunks = await own.read(lambda tx: LiveDocumentRecords(tx).first_chunks(source.agent_id, _MOST_CHUNKS))
        statuses = await collected(lambda page: own.read(lambda tx: CrawlPageRecords(tx).pages(run.id, page)))
        pages = [list(page) for _, page in groupby(chunks, key=lambda chunk: chunk.document_id)]
        posts = {page[0].url for page in pages if await to_thread.run_sync(is_post, page)}
        questions = await to_thread.run_sync(made_questions, pages, posts)
        texts = {page[0].url: "\n".join(chunk.text for chunk in page) for page in pages}
        ask = partial(self._asked, actor, source.agent_id, texts=texts)
        asked = [*questions, *given]
        answers = await few_at_once(asked, ask, _AT_ONCE, lambda done: on_asked(done, len(asked)))
        today = self._clock.now().date()
        return await to_thread.run_sync(_report, source, run, today, pages, posts, statuses, answers)

    async def _asked(
        self, actor: Actor, agent_id: UUID, question: ReportQuestion, texts: Mapping[str, str]
    ) -> JudgedAnswer:
        asked = PlaygroundQuestion(question.text, language=question.language)
        return judged(question, await self._playground.ask(actor.workspace_id, agent_id, asked, "live"), texts)


class WebsiteReports:
    """Orders of reports on what a source has read."""

    def __init__(self, sources: Sources, orders: ReportOrders) -> None:
        self._sources = sources
        self._orders = orders

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
