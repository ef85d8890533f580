"""Finds answers that visitors stopped in order to rephrase their question, in the background."""

from collections.abc import Sequence
from typing import Final

import structlog

from app.core.errors import EmbedderUnavailable
from app.core.turn import question_key
from app.gaps.gap import StoppedTurn
from app.gaps.question_nearness import QuestionNearness, rephrased_from
from app.gaps.records.stopped_turns import StoppedTurnRecords
from app.kit.language_guesser import LanguageGuesser
from app.providers.embedding.embedder import Embedder
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 16


class StoppedTurns:
    """Judges each stopped turn once: if the next question of the conversation rephrases it, its question counts as a
    gap. The same words again do not count, because that happens after stopping by mistake. No transaction is open
    during a call of the embedder; while that is down, stopped turns wait. Questions in a language that the model does
    not read are not judged.
    """

    def __init__(self, records: SystemOfRecord, embedder: Embedder, languages: LanguageGuesser) -> None:
        self._records = records
        self._nearness = QuestionNearness(embedder, languages)

    async def judge(self) -> int:
        """Judge one batch, earliest stop first; return how many were judged."""
        stopped = await self._records.read(lambda tx: StoppedTurnRecords(tx).stopped(_AT_ONCE))
        if not stopped:
            return 0
        try:
            rephrased = await self._rephrased([turn for turn in stopped if self._is_compared(turn)])
        except EmbedderUnavailable as error:
            log.warning("stopped_turns.embedder_away", count=len(stopped), reason=str(error))
            return 0

        def work(tx: Transaction) -> None:
            for turn in stopped:
                StoppedTurnRecords(tx).judge_stopped(turn.id, is_rephrased=turn in rephrased)

        await self._records.write(work)
        return len(stopped)

    def _is_compared(self, turn: StoppedTurn) -> bool:
        following = turn.next_question
        if following is None or question_key(following) == question_key(turn.question):
            return False
        return all(self._nearness.is_read(text, turn.language) for text in (turn.question, following))

    async def _rephrased(self, turns: Sequence[StoppedTurn]) -> list[StoppedTurn]:
        """The turns whose next question rephrases their own. Raises EmbedderUnavailable."""
        pairs = [(turn, turn.question, turn.next_question or "") for turn in turns]
        vectors = await self._nearness.vectors({text for _, *both in pairs for text in both})
        at_least = rephrased_from(self._nearness.model_id)
        return [turn for turn, one, other in pairs if float(vectors[one] @ vectors[other]) >= at_least]
