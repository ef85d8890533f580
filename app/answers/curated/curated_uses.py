"""Where curated answers are used: the conversations in which they answered, and how often lately."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from app.agents.own_agent import OwnAgent
from app.answers.curated.records import CuratedAnswerRecords
from app.answers.past_turn import PastTurn
from app.answers.records import PastTurnRecords
from app.core.actor import Actor
from app.core.list_page import ListPage, PageRequest
from app.kit.clock import Clock
from app.store.system_of_record import SystemOfRecord, Transaction

LATELY_DAYS: Final = 30
_WEEK: Final = timedelta(days=7)
_LATELY: Final = timedelta(days=LATELY_DAYS)


@dataclass(frozen=True, slots=True)
class CuratedUses:
    """The turns of one answer, latest first, and counts of them all: of the last 7 days, and of the last LATELY_DAYS
    days with the thumbs that they got."""

    turns: ListPage[PastTurn]
    last_week: int
    lately: int
    thumbs_up: int
    thumbs_down: int


class CuratedUse:
    """Of what is still kept: turns that were erased or are past their age count no more, as they do in an answer's
    `hits`. Every method raises NotFound for an agent or answer that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def of_answer(self, actor: Actor, agent_id: UUID, answer_id: UUID, page: PageRequest) -> CuratedUses:
        now = self._clock.now()

        def work(tx: Transaction) -> CuratedUses:
            CuratedAnswerRecords(tx).get(agent_id, answer_id)
            turns = PastTurnRecords(tx)
            ratings = turns.curated_ratings(agent_id, answer_id, now - _LATELY)
            return CuratedUses(
                turns.of_curated(answer_id, page),
                turns.curated_counts([answer_id], now - _WEEK).get(answer_id, 0),
                turns.curated_counts([answer_id], now - _LATELY).get(answer_id, 0),
                ratings.get("up", 0),
                ratings.get("down", 0),
            )

        return await OwnAgent(self._records, actor, agent_id).read(work)

    async def lately(self, actor: Actor, agent_id: UUID) -> dict[UUID, int]:
        """How many turns of the last LATELY_DAYS days each of the agent's answers answered; none is left out."""
        since = self._clock.now() - _LATELY

        def work(tx: Transaction) -> dict[UUID, int]:
            ids = [answer.id for answer in CuratedAnswerRecords(tx).of_agent(agent_id)]
            return dict.fromkeys(ids, 0) | PastTurnRecords(tx).curated_counts(ids, since)

        return await OwnAgent(self._records, actor, agent_id).read(work)
