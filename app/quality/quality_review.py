"""An agent's quality, for its operators, and the effect of another threshold."""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Final
from uuid import UUID

from app.agents.own_agent import OwnAgent
from app.agents.records import AgentRecords
from app.answers.records import PastTurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.list_page import PageRequest
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.quality.quality import LISTED, DayQuality, PageCitations, Quality
from app.quality.records.golden_questions import GoldenQuestionRecords, GoldenRunRecords
from app.quality.records.quality import QualityRecords
from app.search.threshold_curve import GoldenConfidence, ThresholdCurve, points_of
from app.store.system_of_record import SystemOfRecord, Transaction, reads

MAX_DAYS: Final = 90


class QualityReview(Wired):
    _records: SystemOfRecord
    _clock: Clock

    async def quality(self, actor: Actor, agent_id: UUID, days: int) -> Quality:
        """The last `days` days (1..MAX_DAYS, in UTC), including today. Raises InvalidInput; NotFound for an agent that
        does not exist or belongs to another workspace."""
        if not 1 <= days <= MAX_DAYS:
            raise InvalidInput("days", f"Use a number from 1 to {MAX_DAYS}.")
        today = self._clock.now().date()
        first = today - timedelta(days=days - 1)

        def work(tx: Transaction) -> tuple[list[PageCitations], list[PageCitations], list[DayQuality]]:
            series = QualityRecords(tx).days([agent_id], first, days)[agent_id]
            cited = _by_page(QualityRecords(tx).cited(agent_id, first, today))
            live = QualityRecords(tx).live_pages(agent_id)
            return live, cited, series

        live, cited, series = await OwnAgent(self._records, actor, agent_id).read(work)
        named = {page.url for page in cited}
        never = [page for page in live if page.url not in named]
        return Quality(tuple(series), tuple(cited[:LISTED]), tuple(never[:LISTED]), len(never), len(live))


def _by_page(cited: Iterable[PageCitations]) -> list[PageCitations]:
    """Combines sections, most cited first."""
    counts: Counter[str] = Counter()
    titles: dict[str, str] = {}
    for section in cited:
        url = section.url.partition("#")[0]
        counts[url] += section.citations
        titles.setdefault(url, section.title)
    return [PageCitations(url, titles[url], count) for url, count in counts.most_common()]


DAYS: Final = 30
MAX_TURNS: Final = 2000
_RUNS = 50


class ThresholdCurves(Wired):
    _records: SystemOfRecord
    _clock: Clock

    @reads
    def curve(self, tx: Transaction, actor: Actor, agent_id: UUID) -> ThresholdCurve:
        """From the latest turns of the last days and the latest golden run of the draft; nothing is asked again.

        Raises NotFound for an agent that does not exist or belongs to another workspace.
        """
        agent = AgentRecords(tx).agent(actor.workspace_id, agent_id)
        past = PastTurnRecords(tx).confidences(agent_id, self._clock.now() - timedelta(days=DAYS), MAX_TURNS)
        runs = GoldenRunRecords(tx).page(agent_id, PageRequest(_RUNS)).items
        golden_questions = {one.id: one for one in GoldenQuestionRecords(tx).questions(agent_id)}
        run = next((run for run in runs if run.draft is not None), None)
        marks = run.draft.marks if run is not None and run.draft is not None else ()
        golden = [
            GoldenConfidence(mark.confidence, question.is_answerable, question.is_met(mark.place, mark.missing))
            for mark in marks
            if (question := golden_questions.get(mark.golden_id)) is not None
        ]
        return ThresholdCurve(
            DAYS,
            len(past),
            len(golden),
            run.id if run is not None else None,
            agent.draft.confidence_threshold,
            points_of(past, golden),
        )
