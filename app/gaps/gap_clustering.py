"""Merges an agent's gaps that ask the same question in other words, in the background."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import structlog
from anyio import to_thread

from app.core.errors import EmbedderUnavailable
from app.gaps.gap_grouping import Wording, moves
from app.gaps.question_nearness import ComparedQuestion, QuestionNearness
from app.gaps.records.meanings import GapMeaningRecords
from app.kit.language_guesser import LanguageGuesser
from app.providers.embedding.embedder import Embedder
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 16


class GapClustering:
    """Turns count gaps by wording. Whenever an agent has new gaps, this regroups all wordings of its open gaps by
    meaning; gaps that an operator has worked on only take others in. No transaction is open during a call of the
    embedder; while that is down, gaps wait. A question in a language that the model does not read stays alone.
    """

    def __init__(self, records: SystemOfRecord, embedder: Embedder, languages: LanguageGuesser) -> None:
        self._records = records
        self._nearness = QuestionNearness(embedder, languages)
        self._has_forgotten = False

    async def place(self) -> int:
        """Place one batch of new gaps, oldest first; return their number."""
        await self._forget_other_models()
        gaps = await self._records.read(lambda tx: GapMeaningRecords(tx).unplaced(_AT_ONCE))
        if not gaps:
            return 0
        readable = [gap for gap in gaps if self._nearness.is_read(gap.question, gap.language)]
        try:
            vectors = await self._nearness.vectors({gap.question for gap in readable})
            is_done = {agent: await self._regroup(agent) for agent in {gap.agent_id for gap in readable}}
        except EmbedderUnavailable as error:
            log.warning("gaps.embedder_away", count=len(gaps), reason=str(error))
            return 0
        meanings = {gap.id: vectors[gap.question].tolist() for gap in readable}
        placed = [gap for gap in gaps if is_done.get(gap.agent_id, True)]
        for gap in placed:
            await self._records.of_agent(gap.agent_id).write(
                lambda tx: GapMeaningRecords(tx).place(gap, self._nearness.model_id, meanings.get(gap.id))
            )
        return len(placed)

    async def _regroup(self, agent_id: UUID) -> bool:
        """Regroup the agent's gaps. False, with nothing changed, if one of them was changed meanwhile."""
        model_id = self._nearness.model_id
        wordings = await self._records.of_agent(agent_id).read(
            lambda tx: GapMeaningRecords(tx).wordings(agent_id, model_id)
        )
        named = {wording.name: wording for wording in wordings}
        readable = await to_thread.run_sync(self._readable, wordings)
        questions = {name: wording.question for name, wording in named.items()}
        groups = await self._nearness.groups(questions, readable)
        wanted = moves([[named[name] for name in group] for group in groups])
        if not wanted:
            return True
        is_done = await self._records.of_agent(agent_id).write(
            lambda tx: GapMeaningRecords(tx).regroup(agent_id, wordings, wanted)
        )
        log.info("gaps.regrouped", agent=str(agent_id), moves=len(wanted), is_done=is_done)
        return is_done

    def _readable(self, wordings: Sequence[Wording]) -> list[ComparedQuestion]:
        return [
            ComparedQuestion(wording.name, wording.question, wording.is_settled, wording.meaning)
            for wording in wordings
            if wording.meaning is not None or self._nearness.is_read(wording.question, wording.language)
        ]

    async def _forget_other_models(self) -> None:
        """Remove the vectors of an earlier model once, because vectors of two models cannot be compared."""
        if self._has_forgotten:
            return
        await self._records.write(lambda tx: GapMeaningRecords(tx).forget_meanings_but(self._nearness.model_id))
        self._has_forgotten = True
