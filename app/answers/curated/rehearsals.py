"""Rehearses a curated answer on past questions before it is saved."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from app.agents.own_agent import OwnAgent
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import check_answer
from app.answers.curated.curated_matcher import CuratedMatcher
from app.answers.curated.records import CuratedAnswerRecords
from app.answers.curated.rehearsal import Rehearsal, RehearsedTurn
from app.answers.past_turn import PastQuestion, PastTurn
from app.answers.records import PastTurnRecords
from app.core.actor import Actor
from app.kit.clock import Clock
from app.kit.pattern_matcher import PatternMatcher
from app.store.system_of_record import SystemOfRecord, Transaction

DAYS: Final = 30
MAX_TURNS: Final = 2000
_AT_ONCE = 32
_BUDGET_SECONDS = 10.0


class Rehearsals:
    def __init__(
        self,
        records: SystemOfRecord,
        matching: CuratedMatcher,
        patterns: PatternMatcher,
        clock: Clock,
        budget_seconds: float = _BUDGET_SECONDS,
    ) -> None:
        self._records = records
        self._matching = matching
        self._patterns = patterns
        self._clock = clock
        self._budget_seconds = budget_seconds

    async def rehearse(self, actor: Actor, answer: CuratedAnswer, replaces: UUID | None = None) -> Rehearsal:
        """Try the answer as if it were on, as a new one or in place of the one that it `replaces`. It is not stored.

        Raises InvalidInput; NotFound for an agent or a replaced answer that is absent or another workspace's;
        EmbedderUnavailable, Overloaded if meanings have to be compared and cannot be.
        """
        check_answer(answer, self._patterns)
        now = self._clock.now()

        def work(tx: Transaction) -> tuple[UUID, list[CuratedAnswer], list[PastTurn]]:
            stored = CuratedAnswerRecords(tx).answers(answer.agent_id)
            own = answer if replaces is None else CuratedAnswerRecords(tx).answer(answer.agent_id, replaces)
            return own.id, stored, PastTurnRecords(tx).since(answer.agent_id, now - timedelta(days=DAYS), MAX_TURNS + 1)

        own_id, stored, turns = await OwnAgent(self._records, actor, answer.agent_id).read(work)
        answer = replace(answer, id=own_id, is_on=True)
        others = [other for other in stored if other.id != answer.id]
        together = [answer if other.id == answer.id else other for other in stored]
        if replaces is None:
            together.append(answer)
        looked_at, fitting = await self._fitting(answer, others, together, turns[:MAX_TURNS], now)
        return Rehearsal(
            answer,
            DAYS,
            looked_at,
            looked_at == len(turns),
            tuple(fitting),
            await self._winners_of(answer, [answer], together, now),
            await self._losers_to(answer, others, together, now),
        )

    async def _fitting(
        self,
        answer: CuratedAnswer,
        others: Sequence[CuratedAnswer],
        together: Sequence[CuratedAnswer],
        turns: Sequence[PastTurn],
        now: datetime,
    ) -> tuple[int, list[RehearsedTurn]]:
        """How many of `turns` were examined before the time ran out, and those that fit the answer."""
        started, looked_at = time.monotonic(), 0
        fitting: list[RehearsedTurn] = []
        for start in range(0, len(turns), _AT_ONCE):
            batch = turns[start : start + _AT_ONCE]
            if looked_at and time.monotonic() - started > self._budget_seconds:
                break
            alone = await self._matching.find_each([answer], [turn.asked for turn in batch], now)
            fits = [turn for turn, found in zip(batch, alone, strict=True) if found is not None]
            questions = [turn.asked for turn in fits]
            winners = await self._matching.find_each(together, questions, now)
            without = await self._matching.find_each(others, questions, now)
            fitting += [
                RehearsedTurn(turn, winner, other)
                for turn, winner, other in zip(fits, winners, without, strict=True)
                if winner is not None
            ]
            looked_at += len(batch)
        return looked_at, fitting

    async def _winners_of(
        self, answer: CuratedAnswer, own: Iterable[CuratedAnswer], together: Sequence[CuratedAnswer], now: datetime
    ) -> tuple[CuratedAnswer, ...]:
        """The other answers that win when the patterns of `answer` are asked as questions."""
        found = await self._matching.find_each(together, [question for one in own for question in _probes(one)], now)
        return tuple({one.id: one for one in found if one is not None and one.id != answer.id}.values())

    async def _losers_to(
        self, answer: CuratedAnswer, others: Sequence[CuratedAnswer], together: Sequence[CuratedAnswer], now: datetime
    ) -> tuple[CuratedAnswer, ...]:
        """The other answers that lose to `answer` when their own patterns are asked as questions."""
        probes = [(other, question) for other in others for question in _probes(other)]
        found = await self._matching.find_each(together, [question for _, question in probes], now)
        lost = [
            other
            for (other, _), winner in zip(probes, found, strict=True)
            if winner is not None and winner.id == answer.id
        ]
        return tuple({other.id: other for other in lost}.values())


def _probes(answer: CuratedAnswer) -> list[PastQuestion]:
    """The questions that the answer was written for; a regular expression names none."""
    if answer.trigger is Trigger.REGEX:
        return []
    return [PastQuestion(pattern, answer.page_prefix or "/", answer.language) for pattern in answer.patterns]
