"""An operator sees what another threshold would do before setting it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from app.agents.agent import Agent
from app.agents.records.agents import AgentRecords
from app.answers.records import PastTurnRecords
from app.core.actor import Actor
from app.core.list_page import PageRequest
from app.kit.clock import Clock
from app.quality.golden_question import GoldenQuestion
from app.quality.golden_run import GoldenRun
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.quality.records.golden_runs import GoldenRunRecords
from app.search.threshold_curve import GoldenConfidence, PastConfidences, ThresholdCurve, points_of
from app.store.system_of_record import SystemOfRecord, Transaction

DAYS: Final = 30
MAX_TURNS: Final = 2000
_RUNS = 50


class ThresholdCurves:
    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def of(self, actor: Actor, agent_id: UUID) -> ThresholdCurve:
        """From the latest turns of the last days and the latest golden run that asked the draft; nothing is asked anew.

        Raises NotFound for an agent that is absent or another workspace's.
        """

        def work(
            tx: Transaction,
        ) -> tuple[dict[UUID, GoldenQuestion], Sequence[GoldenRun], list[PastConfidences], Agent]:
            agent = AgentRecords(tx).get(actor.workspace_id, agent_id)
            since = self._clock.now() - timedelta(days=DAYS)
            past = PastTurnRecords(tx).confidences(agent_id, since, MAX_TURNS)
            runs = GoldenRunRecords(tx).page(agent_id, PageRequest(_RUNS)).items
            golden_questions = {one.id: one for one in GoldenQuestionRecords(tx).of_agent(agent_id)}
            return golden_questions, runs, past, agent

        golden_questions, runs, past, agent = await self._records.of_workspace(actor.workspace_id).read(work)
        run = next((run for run in runs if run.draft is not None), None)
        marks = run.draft.marks if run is not None and run.draft is not None else ()
        golden = [
            GoldenConfidence(
                mark.confidence,
                asked.is_answerable,
                (mark.place is not None or not asked.pages) and not mark.missing,
            )
            for mark in marks
            if (asked := golden_questions.get(mark.golden_id)) is not None
        ]
        return ThresholdCurve(
            DAYS,
            len(past),
            len(golden),
            run.id if run is not None else None,
            agent.draft.confidence_threshold,
            points_of(past, golden),
        )
