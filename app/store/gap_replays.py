"""What a replay of gaps asks, and which gaps are due for one."""

from uuid import UUID

from sqlalchemy import or_, select, update

from app.domain.gap import GapReason, GapState
from app.domain.gap_replay import DueGap, GapAsking
from app.domain.personal_data import masked
from app.domain.source import RunState
from app.store.gap_rows import gap_of
from app.store.models import AgentRow, CrawlRunRow, GapQuestionRow, GapRow, TurnRow
from app.store.stored_turns import StoredTurnRecords
from app.store.transaction import Repository

_AT_WORK = (RunState.QUEUED.value, RunState.RUNNING.value)
_READ_FOR_WORDINGS = 200  # askings; those before the latest of them ask nothing new


class GapReplayRecords(Repository):
    async def askings(self, gap_id: UUID, at_most: int) -> list[GapAsking]:
        """Its wordings, each as it was last asked, latest first."""
        latest = (
            select(GapQuestionRow, TurnRow.language)
            .join(TurnRow, TurnRow.id == GapQuestionRow.turn_id)
            .where(GapQuestionRow.gap_id == gap_id)
            .order_by(GapQuestionRow.asked_at.desc(), GapQuestionRow.id.desc())
            .limit(_READ_FOR_WORDINGS)
        )
        wordings: dict[str, tuple[GapQuestionRow, str | None]] = {}
        for asking, language in await self._session.execute(latest):
            wordings.setdefault(asking.question_key, (asking, language))
        chosen = list(wordings.values())[:at_most]
        asked_in = TurnRow.id.in_([asking.turn_id for asking, _ in chosen])
        turns = {turn.id: turn for turn in await StoredTurnRecords(self._tx).where(asked_in)}
        told: list[GapAsking] = []
        for asking, language in chosen:
            turn = turns[asking.turn_id]
            told.append(
                GapAsking(
                    turn_id=turn.id,
                    question=asking.question,
                    standalone=masked(str(turn.trace.get("standalone") or asking.question)),
                    page_url=turn.page_url,
                    language=language,
                    reason=GapReason(asking.reason),
                    answer=turn.answer,
                    answered_by=turn.answered_by,
                    confidence=turn.confidence,
                    cited=tuple(dict.fromkeys(citation.url for citation in turn.citations)),
                )
            )
        return told

    async def due_for_replay(self, at_most: int) -> list[DueGap]:
        """Of all published agents that no run is reading for, most asked first, then latest."""
        is_being_read = (
            select(CrawlRunRow.id).where(CrawlRunRow.agent_id == AgentRow.id, CrawlRunRow.state.in_(_AT_WORK)).exists()
        )
        statement = (
            select(GapRow, AgentRow.workspace_id, AgentRow.generation)
            .join(AgentRow, AgentRow.id == GapRow.agent_id)
            .where(
                GapRow.state == GapState.OPEN.value,
                or_(GapRow.replayed_at.is_(None), GapRow.replayed_at != AgentRow.generation),
                AgentRow.live_version.is_not(None),
                ~is_being_read,
            )
            .order_by(GapRow.count.desc(), GapRow.last_seen.desc(), GapRow.id)
            .limit(at_most)
        )
        return [DueGap(gap_of(gap), workspace, at) for gap, workspace, at in await self._session.execute(statement)]

    async def replayed(self, gap_id: UUID, generation: int, *, passes: bool) -> bool:
        """An open gap was asked at that generation; where it passes, it is proposed for closing. False for one that
        is no longer open."""
        is_as_it_was = GapRow.id == gap_id, GapRow.state == GapState.OPEN.value
        values: dict[str, object] = {"replayed_at": generation}
        if passes:
            values["state"] = GapState.PROPOSED.value
        changed = await self._session.execute(update(GapRow).where(*is_as_it_was).values(values).returning(GapRow.id))
        return changed.one_or_none() is not None
