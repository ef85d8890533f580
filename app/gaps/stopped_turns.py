"""Finds answers that visitors stopped to ask the same in other words: after the turn, by meaning."""

from collections.abc import Sequence
from typing import Final

import structlog

from app.core.errors import EmbedderUnavailable
from app.core.turn import question_key
from app.gaps.gap import StoppedTurn
from app.gaps.question_nearness import is_read, rephrased_from
from app.gaps.records.stopped_turns import StoppedTurnRecords
from app.kit.language_guesser import LanguageGuesser
from app.providers.embedding.embedder import Embedder
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 16


class StoppedTurns:
    """Judges each stopped turn once: if the next question of its conversation has the same meaning in other words, the
    turn's own question counts as a gap. The same words again do not count, because somebody who stops by mistake
    repeats them. No transaction is open during a call of the embedder; while that is down, stopped turns wait.
    Questions in a language that the model does not read are not judged.
    """

    def __init__(self, records: SystemOfRecord, embedder: Embedder, languages: LanguageGuesser) -> None:
        self._records = records
        self._embedder = embedder
        self._languages = languages

    async def judge(self) -> int:
        """One batch, earliest stop first; returns how many were judged."""
        stopped = await self._records.read(lambda tx: StoppedTurnRecords(tx).stopped(_AT_ONCE))
        if not stopped:
            return 0
        pairs = [pair for turn in stopped if (pair := self._to_compare(turn)) is not None]
        try:
            rephrased = await self._rephrased(pairs)
        except EmbedderUnavailable as error:
            log.warning("stopped_turns.embedder_away", count=len(stopped), reason=str(error))
            return 0

        def work(tx: Transaction) -> None:
            for turn in stopped:
                StoppedTurnRecords(tx).judge_stopped(turn.id, is_rephrased=turn in rephrased)

        await self._records.write(work)
        return len(stopped)

    def _to_compare(self, turn: StoppedTurn) -> tuple[StoppedTurn, str] | None:
        following = turn.asked_next
        if following is None or question_key(following) == question_key(turn.question):
            return None
        questions = turn.question, following
        can_be_read = all(is_read(self._embedder, self._languages, text, turn.language) for text in questions)
        return (turn, following) if can_be_read else None

    async def _rephrased(self, pairs: Sequence[tuple[StoppedTurn, str]]) -> list[StoppedTurn]:
        """Raises EmbedderUnavailable."""
        if not pairs:
            return []
        first = await self._embedder.embed([turn.question for turn, _ in pairs])
        then = await self._embedder.embed([following for _, following in pairs])
        at_least = rephrased_from(self._embedder.model_id)
        compared = zip(pairs, first, then, strict=True)
        return [turn for (turn, _), one, other in compared if _cosine(one, other) >= at_least]


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """For unit vectors."""
    return sum(a * b for a, b in zip(one, other, strict=True))
