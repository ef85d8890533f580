"""Questions that have yet to come to a topic; apart from the topics, for vectors are not read where a turn ends."""

from sqlalchemy import select

from app.store.tables.turns import TOPIC_QUESTIONS, TURNS
from app.store.transaction import Repository, TurnIds


class WaitingQuestionRecords(Repository):
    def wait(self, turn: TurnIds) -> None:
        """Its question is to be placed. Once a turn."""
        own = select(TURNS.c.id, TURNS.c.agent_id, TURNS.c.created_at).where(TURNS.c.id == turn.id)
        waiting = self._insert(TOPIC_QUESTIONS).from_select(["turn_id", "agent_id", "asked_at"], own)
        self._connection.execute(waiting.on_conflict_do_nothing())
