"""Operators upload conversations of another help desk, and a worker asks their questions again."""

from contextlib import AbstractContextManager
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import Final
from uuid import UUID

from app.agents.records import AgentRecords
from app.answers.playground import Quotes
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.setting import check_limits
from app.kit.clock import Clock
from app.kit.language_guesser import LanguageGuesser
from app.kit.pattern_matcher import PatternMatcher
from app.past_questions.exports import Export, conversations
from app.past_questions.kept_questions import Kept, KeptQuestions
from app.past_questions.past_conversation import PastQuestion, first_question
from app.past_questions.past_questions import PastQuestions
from app.providers.embedding.embedder import Embedder
from app.site_report.ordered_report import OrderedReport, ReportKind
from app.site_report.report_orders import MadeReport, Progress, ReportMaker, ReportOrders
from app.sources.files.source_files import UploadPlaces
from app.store.system_of_record import SystemOfRecord
from crawler.worker_processes import WorkerFailed, WorkerProcesses, limit_memory, serve_requests

MOST_BYTES = 20_000_000
_SHOWN = 100  # groups of either kind
_READING_SECONDS: Final = 60.0
_MEMORY_BYTES: Final = 2 * 1024**3  # of a process


class PastImports:
    """Reads an export in a process that may be killed: one of 20 MB takes half a minute of a processor."""

    def __init__(self, orders: ReportOrders) -> None:
        self._orders = orders
        self._places = UploadPlaces()
        self._reading = WorkerProcesses(serve_exports, _READING_SECONDS, 2, per_owner=1, max_idle=0)

    def receiving(self, actor: Actor) -> AbstractContextManager[None]:
        """As `SourceFiles.receiving`."""
        return self._places.held(actor.workspace_id)

    async def order(self, actor: Actor, agent_id: UUID, export: Export, text: str, kept: Kept) -> OrderedReport:
        """Order a replay of the export, of which only the masked questions and replies are stored. Raises as
        `ReportOrders.order` does, and InvalidInput if the text is no such export, or takes too long to read."""
        check_limits("", kept)
        try:
            read = await self._reading.ask((export, text), str(actor.workspace_id))
        except WorkerFailed as error:
            raise InvalidInput("file", f"Reading this file {error}. Send it in parts.") from error
        if isinstance(read, str):
            raise InvalidInput("file", read)
        found, questions = read
        wanted = {"conversations": found, "questions": [asdict(each) for each in questions], "kept": asdict(kept)}
        return await self._orders.order(actor, agent_id, ReportKind.CONVERSATIONS, export.value, wanted)


def serve_exports(pipe: Connection) -> None:
    """Entry point of the process."""
    limit_memory(_MEMORY_BYTES)
    serve_requests(pipe, lambda request: _read(*request))


def _read(export: Export, text: str) -> tuple[int, list[PastQuestion]] | str:
    """The number of conversations, and their questions; or what is wrong with the file."""
    try:
        found = conversations(export, text)
    except InvalidInput as error:
        return error.message
    return len(found), [question for each in found if (question := first_question(each)) is not None]


class PastReplays(ReportMaker):
    """Makes the reports that `PastImports` has ordered."""

    kind = ReportKind.CONVERSATIONS

    def __init__(
        self, records: SystemOfRecord, clock: Clock, quotes: Quotes, embedder: Embedder, patterns: PatternMatcher
    ) -> None:
        super().__init__(records, clock)
        self._past = PastQuestions(quotes.playground, embedder, LanguageGuesser())
        self._keeping = KeptQuestions(records, self._past, patterns)

    async def make(self, actor: Actor, report: OrderedReport, on_progress: Progress) -> MadeReport:
        """Raises as `PastQuestions.replay` and `KeptQuestions.keep` do."""
        wanted = report.wanted
        agent = await self._records.of_agent(report.agent_id).read(lambda tx: AgentRecords(tx).live(report.agent_id))
        questions = [PastQuestion(**each) for each in wanted["questions"]]
        made = await self._past.replay(actor, agent.id, wanted["conversations"], questions, on_progress)
        added = await self._keeping.keep(actor, agent, made, Kept(**wanted["kept"]))
        fields = made.as_json()
        shown = [*made.unanswered[:_SHOWN], *made.answered[:_SHOWN]]
        fields["groups"] = [group.as_json() for group in shown]
        return MadeReport(fields | {"unanswered_groups": len(made.unanswered), "added": added})
