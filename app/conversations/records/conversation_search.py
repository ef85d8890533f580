"""Finds conversations for operators.

Words are matched against the messages themselves. For past days, an index of packed words narrows the turns to check;
the transaction that erases a turn also deletes its day from the index, which is then packed again.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Select, and_, false, func, literal_column, not_, or_, select

from app.conversations.conversation import NOBODY, ConversationFilter, ConversationState, Outcome
from app.conversations.records.packed_words import PackedWordRecords, turns_of_span
from app.core.turn import NO_ANSWER, AnsweredBy, TurnState
from app.store.tables.conversations import CONVERSATION_LABELS, CONVERSATIONS, FEEDBACK, LIVE_CHATS, MESSAGES, TURNS
from app.store.transaction import Transaction, batches

_IS_CLOSED = and_(
    CONVERSATIONS.c.closed_at.is_not(None),
    CONVERSATIONS.c.closed_at >= CONVERSATIONS.c.last_active_at,  # later activity opens it again
)
_answered_by = func.coalesce(TURNS.c.answered_by, "")
_IS_DONE = TURNS.c.state == TurnState.DONE.value
_IS_UNSURE = or_(TURNS.c.low_confidence, _answered_by == AnsweredBy.FALLBACK.value)
_IS_WISH = _answered_by == AnsweredBy.HANDOFF.value
_own_chat = select(LIVE_CHATS.c.id).where(LIVE_CHATS.c.conversation_id == TURNS.c.conversation_id)
IS_HANDED_OVER: Final = or_(
    _own_chat.where(LIVE_CHATS.c.handed_over_turn_id == TURNS.c.id).exists(), and_(_IS_WISH, ~_own_chat.exists())
)
"""The question with which, or after which, a person was first asked for: at most one in each conversation."""

IS_QUESTION: Final = or_(IS_HANDED_OVER, _answered_by.not_in([each.value for each in NO_ANSWER]))
"""Neither small talk, a question asked back, nor the repeated wish for a person."""

_UNCONFIRMED = and_(
    _answered_by == AnsweredBy.MODEL.value,
    func.coalesce(TURNS.c.trace["answer_check"]["not_confirmed"].as_integer(), 0) > 0,
)
# Like `outcome_of_turn`.
_OUTCOMES = {
    Outcome.ANSWERED: and_(_IS_DONE, IS_QUESTION, not_(_IS_UNSURE), not_(IS_HANDED_OVER)),
    Outcome.UNANSWERED: and_(_IS_DONE, IS_QUESTION, _IS_UNSURE, not_(IS_HANDED_OVER)),
    Outcome.FAILED: and_(
        TURNS.c.state.in_([TurnState.FAILED.value, TurnState.CUT.value]), IS_QUESTION, not_(IS_HANDED_OVER)
    ),
}


def fitting(tx: Transaction, agent_id: UUID, only: ConversationFilter) -> list[ColumnElement[bool]]:
    """Conditions on `CONVERSATIONS` for the filter, within one agent."""
    is_sqlite = tx.connection.dialect.name == "sqlite"
    turns = _turns(only, is_sqlite)
    if turns is None:
        return _of_conversation(only)
    # Exclude what is certainly too old or too new before checking turns one by one.
    surely = [] if only.since is None else [CONVERSATIONS.c.last_active_at >= only.since]
    surely += [] if only.until is None else [CONVERSATIONS.c.created_at < only.until]
    if only.words and (packed := PackedWordRecords(tx).may_contain(agent_id, only.words)):
        conditions = _conditions(only.words, is_sqlite)
        chosen = [
            *(TURNS.c.id.in_(batch) for batch in batches(packed.turn_ids)),
            *(turns_of_span(agent_id, span) for span in packed.unpacked),
        ]
        named = (tx.connection.scalars(select(TURNS.c.conversation_id).where(turn, *conditions)) for turn in chosen)
        own = {conversation_id for each in named for conversation_id in each}
        surely.append(CONVERSATIONS.c.id.in_(own) if own else false())
    return [*_of_conversation(only), *surely, turns.exists()]


def _of_conversation(only: ConversationFilter) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = []
    if only.state is not None:
        wanted.append(_IS_CLOSED if only.state is ConversationState.CLOSED else not_(_IS_CLOSED))
    if only.visitor_id is not None:
        wanted.append(CONVERSATIONS.c.visitor_id == only.visitor_id)
    if only.assignee == NOBODY:
        wanted.append(CONVERSATIONS.c.assignee == "")
    elif only.assignee is not None:
        # The literal lets the database use the partial index on assigned conversations.
        wanted += [CONVERSATIONS.c.assignee == only.assignee, CONVERSATIONS.c.assignee != literal_column("''")]
    if only.label is not None:
        labelled = select(CONVERSATION_LABELS.c.conversation_id).where(
            CONVERSATION_LABELS.c.agent_id == CONVERSATIONS.c.agent_id, CONVERSATION_LABELS.c.label == only.label
        )
        wanted.append(labelled.where(CONVERSATION_LABELS.c.conversation_id == CONVERSATIONS.c.id).exists())
    if only.outcome is Outcome.HANDED_OVER:
        chats = select(LIVE_CHATS.c.id).where(
            LIVE_CHATS.c.conversation_id == CONVERSATIONS.c.id, LIVE_CHATS.c.handed_over_at.is_not(None)
        )
        # Figures count the hand-over at this moment, when there may be no turn.
        chats = chats if only.since is None else chats.where(LIVE_CHATS.c.handed_over_at >= only.since)
        chats = chats if only.until is None else chats.where(LIVE_CHATS.c.handed_over_at < only.until)
        wanted.append(chats.exists())
    return wanted


def _turns(only: ConversationFilter, is_sqlite: bool) -> Select[*tuple[object, ...]] | None:
    """A query for the turns of a conversation that match; None if the filter has no conditions on turns."""
    conditions: list[ColumnElement[bool]] = []
    if only.is_low is not None:
        conditions.append(TURNS.c.low_confidence == only.is_low)
    if only.is_unconfirmed is not None:
        conditions.append(_UNCONFIRMED if only.is_unconfirmed else not_(_UNCONFIRMED))
    if only.answered_by is not None:
        conditions.append(TURNS.c.answered_by == only.answered_by.value)
    if only.outcome in _OUTCOMES:
        conditions.append(_OUTCOMES[only.outcome])
    if only.language is not None:
        conditions.append(TURNS.c.language == only.language)
    if only.since is not None and only.outcome is not Outcome.HANDED_OVER:
        conditions.append(TURNS.c.created_at >= only.since)
    if only.until is not None and only.outcome is not Outcome.HANDED_OVER:
        conditions.append(TURNS.c.created_at < only.until)
    if only.page_url:
        conditions.append(holds(TURNS.c.page_url, only.page_url, is_sqlite))
    if only.rating is not None:
        rated = select(FEEDBACK.c.id).where(FEEDBACK.c.turn_id == TURNS.c.id, FEEDBACK.c.rating == only.rating)
        conditions.append(rated.exists())
    conditions += _conditions(only.words, is_sqlite)
    if not conditions:
        return None
    return select(TURNS.c.id).where(TURNS.c.conversation_id == CONVERSATIONS.c.id, *conditions)


def _conditions(words: Sequence[str], is_sqlite: bool) -> list[ColumnElement[bool]]:
    """Each word is in a message of the turn."""
    own = select(MESSAGES.c.id).where(MESSAGES.c.turn_id == TURNS.c.id)
    return [own.where(holds(MESSAGES.c.text, word, is_sqlite)).exists() for word in words]


def holds(column: Column[str], word: str, is_sqlite: bool) -> ColumnElement[bool]:
    """Contains the word, in any case."""
    if not is_sqlite:
        return column.icontains(word, autoescape=True)
    # SQLite's LIKE ignores the case of ASCII letters alone.
    spellings = (word, word.lower(), word.upper(), word.capitalize(), word.title())
    different = spellings[:1] if word.isascii() else dict.fromkeys(spellings)
    return or_(*(column.contains(spelling, autoescape=True) for spelling in different))
