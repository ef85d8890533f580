"""Operators upload conversations of another help desk, and a worker asks their questions again."""

from dataclasses import asdict
from uuid import UUID

from anyio import to_thread

from app.agents.records import AgentRecords
from app.answers.playground import Quotes
from app.core.actor import Actor
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
from app.site_report.report_orders import MadeReport, OnAsked, ReportMaker, ReportOrders
from app.store.system_of_record import SystemOfRecord

MOST_BYTES = 20_000_000
_SHOWN = 100  # groups of either kind


class PastImports:
    def __init__(self, orders: ReportOrders) -> None:
        self._orders = orders

    async def order(self, actor: Actor, agent_id: UUID, export: Export, text: str, kept: Kept) -> OrderedReport:
        """Stores the masked questions and replies alone. Raises as `ReportOrders.order` does, and InvalidInput if the
        text is no such export."""
        check_limits("", kept)
        found, questions = await to_thread.run_sync(_read, export, text)
        wanted = {"conversations": found, "questions": [asdict(each) for each in questions], "kept": asdict(kept)}
        return await self._orders.order(actor, agent_id, ReportKind.CONVERSATIONS, export.value, wanted)


def _read(export: Export, text: str) -> tuple[int, list[PastQuestion]]:
    found = conversations(export, text)
    return len(found), [question for each in found if (question := first_question(each)) is not None]


class PastReplays(ReportMaker):
    """Makes what `PastImports` has ordered."""

    kind = ReportKind.CONVERSATIONS

    def __init__(
        self, records: SystemOfRecord, clock: Clock, quotes: Quotes, embedder: Embedder, patterns: PatternMatcher
    ) -> None:
        super().__init__(records, clock)
        self._past = PastQuestions(quotes.playground, embedder, LanguageGuesser())
        self._keeping = KeptQuestions(records, self._past, patterns)

    async def make(self, actor: Actor, report: OrderedReport, on_asked: OnAsked) -> MadeReport:
        """Raises as `PastQuestions.replay` and `KeptQuestions.keep` do."""
        wanted = report.wanted
        agent = await self._records.of_agent(report.agent_id).read(lambda tx: AgentRecords(tx).live(report.agent_id))
        questions = [PastQuestion(**each) for each in wanted["questions"]]
        made = await self._past.replay(actor, agent.id, wanted["conversations"], questions, on_asked)
        added = await self._keeping.keep(actor, agent, made, Kept(**wanted["kept"]))
        fields = made.as_json()
        shown = [*made.unanswered[:_SHOWN], *made.answered[:_SHOWN]]
        fields["groups"] = [group.as_json() for group in shown]
        return MadeReport(fields | {"unanswered_groups": len(made.unanswered), "added": added})
