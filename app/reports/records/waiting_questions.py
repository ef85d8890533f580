"""Questions that have yet to come to a topic; apart from the topics, for vectors are not read where a turn ends."""

from functools import cache

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.sqlite import Insert

from app.store.tables.conversations import TOPIC_QUESTIONS, TURNS
from app.store.transaction import Repository, TurnIds, insert_of


class WaitingQuestionRecords(Repository):
    def wait(self, turn: TurnIds) -> None:
        """Its question is to be placed. Once a turn."""
        self._connection.execute(_waiting(self._dialect), {"turn": turn.id})


@cache
def _waiting(dialect: str) -> Insert:
    """Made once: every turn ends with it."""
    own = select(TURNS.c.id, TURNS.c.agent_id, TURNS.c.created_at).where(TURNS.c.id == bindparam("turn"))
    waiting = insert_of(dialect, TOPIC_QUESTIONS).from_select(["turn_id", "agent_id", "asked_at"], own)
    return waiting.on_conflict_do_nothing()
