"""Conversations in which a turn fits what an operator looks for.

Read from the messages themselves: an index of visitors' words would be one more place from which they had to vanish.
"""

from sqlalchemy import ColumnElement, Connection, or_, select

from app.conversations.conversation_filter import EVERY_CONVERSATION, ConversationFilter
from app.store.tables.conversations import CONVERSATIONS, MESSAGES
from app.store.tables.turns import FEEDBACK, TURNS


def fitting(connection: Connection, only: ConversationFilter) -> list[ColumnElement[bool]]:
    """Conditions on `CONVERSATIONS`."""
    if only == EVERY_CONVERSATION:
        return []
    turns = select(TURNS.c.id).where(TURNS.c.conversation_id == CONVERSATIONS.c.id)
    if only.is_low is not None:
        turns = turns.where(TURNS.c.low_confidence == only.is_low)
    if only.answered_by is not None:
        turns = turns.where(TURNS.c.answered_by == only.answered_by.value)
    if only.since is not None:
        turns = turns.where(TURNS.c.created_at >= only.since)
    if only.until is not None:
        turns = turns.where(TURNS.c.created_at < only.until)
    if only.rating is not None:
        rated = select(FEEDBACK.c.id).where(FEEDBACK.c.turn_id == TURNS.c.id, FEEDBACK.c.rating == only.rating)
        turns = turns.where(rated.exists())
    is_sqlite = connection.dialect.name == "sqlite"
    for word in only.words:
        said = select(MESSAGES.c.id).where(MESSAGES.c.turn_id == TURNS.c.id, _holds(word, is_sqlite))
        turns = turns.where(said.exists())
    # Before the turns are looked at one by one, what is surely too old is left out by the list's own index.
    early = [] if only.since is None else [CONVERSATIONS.c.last_active_at >= only.since]
    return [*early, turns.exists()]


def _holds(word: str, is_sqlite: bool) -> ColumnElement[bool]:
    if not is_sqlite:
        return MESSAGES.c.text.icontains(word, autoescape=True)
    # SQLite's LIKE knows the case of ASCII letters alone.
    spellings = [word] if word.isascii() else dict.fromkeys((word, word.lower(), word.upper(), word.capitalize()))
    return or_(*(MESSAGES.c.text.contains(spelling, autoescape=True) for spelling in spellings))
