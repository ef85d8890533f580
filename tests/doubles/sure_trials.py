"""Trials in which the agent answers every question."""

from uuid import UUID

from app.domain.gap_replay import GapAsking, TrialAnswer
from app.domain.turn import AnsweredBy


class SureTrials:
    async def answer(self, workspace_id: UUID, agent_id: UUID, asking: GapAsking, version: str) -> TrialAnswer:
        return TrialAnswer("Yes.", AnsweredBy.EXTRACTIVE, 0.9, ("https://www.example.com/",))
