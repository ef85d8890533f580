"""Trials in which the agent answers every question."""

from uuid import UUID

from app.core.turn import AnsweredBy
from app.gaps.gap import GapAsking, TrialAnswer


class SureTrials:
    async def answer(self, workspace_id: UUID, agent_id: UUID, asking: GapAsking, version: str) -> TrialAnswer:
        return TrialAnswer("Yes.", AnsweredBy.EXTRACTIVE, 0.9, ("https://www.example.com/",))
