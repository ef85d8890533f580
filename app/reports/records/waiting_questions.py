"""Questions without a topic yet; in a module of its own, so that the end of a turn does not import vectors."""

from functools import cache

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.sqlite import Insert

from app.core.turn import AnsweredBy, TurnEnd
from app.store.tables.conversations import TOPIC_QUESTIONS, TURNS
from app.store.transaction import Transaction, TurnIds, insert_of


def await_topic(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Queue the question for a topic, unless nothing was asked."""
    if end.answered_by not in (AnsweredBy.SMALL_TALK, AnsweredBy.CLARIFICATION):
        tx.connection.execute(_waiting(tx.connection.dialect.name), {"turn": turn.id})


@cache
def _waiting(dialect: str) -> Insert:
    """Built once, because every turn executes it."""
    own = select(TURNS.c.id, TURNS.c.agent_id, TURNS.c.created_at).where(TURNS.c.id == bindparam("turn"))
    waiting = insert_of(dialect, TOPIC_QUESTIONS).from_select(["turn_id", "agent_id", "asked_at"], own)
    return waiting.on_conflict_do_nothing()
