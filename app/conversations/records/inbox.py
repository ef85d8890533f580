"""Operators' work on conversations."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Index, Select, exists, func, or_, select, tuple_

from app.conversations.conversation import (
    EVERY_CONVERSATION,
    LISTED_OF_VISITOR,
    Conversation,
    ConversationChange,
    ConversationFilter,
    ConversationState,
    InboxEntry,
    LabelCount,
    LeftContact,
    Neighbours,
    Note,
    Outcome,
    Visitor,
    VisitorFacts,
    outcome_of_turn,
    worst,
)
from app.conversations.records.conversation_search import fitting
from app.core.list_page import ListPage, PageRequest
from app.core.turn import AnsweredBy, TurnState
from app.store.schema import OfVisitors, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.tables import tables_of_visitors
from app.store.tables.agents import own_row
from app.store.tables.conversations import CONVERSATION_LABELS, CONVERSATIONS, FEEDBACK, LIVE_CHATS, TURNS, VISITORS
from app.store.transaction import Keyset, Repository, new_id, value_of

# Operators' notes on a conversation, for one another: no visitor and no model reads them.
CONVERSATION_NOTES = table(
    "conversation_notes",
    OfVisitors("notes", "What operators noted on them.", expire=True),
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations", index=True),
    column("author", StorableText),
    column("text", StorableText),
    column("created_at", UtcDateTime),
    Index(None, "agent_id", "created_at"),
)

_LATEST_ACTIVITY_FIRST = Keyset(CONVERSATIONS.c.last_active_at, CONVERSATIONS.c.id, descending=True)
_BY_AGE: Final = (CONVERSATIONS.c.last_active_at, CONVERSATIONS.c.id)
_PLACE: Final = tuple_(*_BY_AGE)


class InboxRecords(Repository):
    """Methods without a workspace rely on the caller's check."""

    def page(
        self, agent_id: UUID, page: PageRequest, only: ConversationFilter = EVERY_CONVERSATION
    ) -> ListPage[InboxEntry]:
        """The agent's conversations with a question or a live chat, latest activity first."""
        statement = select(CONVERSATIONS).where(*self._listed(agent_id, only))
        found = self._page(_LATEST_ACTIVITY_FIRST, Conversation, statement, page)
        return ListPage(self.entries(found.items), found.next_cursor)

    def neighbours(self, conversation: Conversation, only: ConversationFilter) -> Neighbours:
        """The conversations before and after it in the filtered list, which need not include it."""
        place = (conversation.last_active_at, conversation.id)
        listed = select(CONVERSATIONS.c.id).where(*self._listed(conversation.agent_id, only)).limit(1)
        before = listed.where(place < _PLACE).order_by(*_BY_AGE)
        after = listed.where(place > _PLACE).order_by(*(column.desc() for column in _BY_AGE))
        return Neighbours(self._connection.scalar(before), self._connection.scalar(after))

    def entries(self, conversations: Sequence[Conversation]) -> list[InboxEntry]:
        """In the same order, with outcome, labels and more."""
        ids = [conversation.id for conversation in conversations]
        turns: dict[UUID, list[Any]] = {}
        statement = (
            select(
                TURNS.c.conversation_id,
                TURNS.c.state,
                TURNS.c.answered_by,
                TURNS.c.low_confidence,
                TURNS.c.language,
                TURNS.c.page_url,
                FEEDBACK.c.rating,
            )
            .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
            .where(TURNS.c.conversation_id.in_(ids))
            .order_by(TURNS.c.conversation_id, TURNS.c.position.desc())
        )
        for turn in self._connection.execute(statement):
            turns.setdefault(turn.conversation_id, []).append(turn)
        with_people = select(LIVE_CHATS.c.conversation_id).where(
            LIVE_CHATS.c.conversation_id.in_(ids), LIVE_CHATS.c.handed_over_at.is_not(None)
        )
        handed_over = set(self._connection.scalars(with_people))
        labels = self.labels_of(ids)
        visitor_ids = {conversation.visitor_id for conversation in conversations}
        named = select(VISITORS.c.id, VISITORS.c.user_id).where(VISITORS.c.id.in_(visitor_ids))
        users = dict(self._connection.execute(named).all())
        return [
            _entry(
                each, turns.get(each.id, []), labels.get(each.id, ()), users[each.visitor_id], each.id in handed_over
            )
            for each in conversations
        ]

    def visitor(self, workspace_id: UUID, visitor_id: UUID) -> VisitorFacts:
        """Raises NotFound, also for another workspace's."""
        row = self._first_row(own_row(VISITORS, workspace_id, visitor_id), "visitor")
        visible = [CONVERSATIONS.c.visitor_id == visitor_id, CONVERSATIONS.c.turn_count > 0]
        sums = select(func.count(), func.coalesce(func.sum(CONVERSATIONS.c.turn_count), 0)).where(*visible)
        conversation_count, turn_count = self._connection.execute(sums).one()
        latest = select(CONVERSATIONS).where(*visible).order_by(*(column.desc() for column in _BY_AGE))
        pages = (
            select(TURNS.c.page_url)
            .where(TURNS.c.visitor_id == visitor_id, TURNS.c.page_url != "")
            .group_by(TURNS.c.page_url)
            .order_by(func.max(TURNS.c.created_at).desc())
        )
        return VisitorFacts(
            value_of(Visitor, row),
            row.created_at,
            conversation_count,
            int(turn_count),
            [value_of(Conversation, each) for each in self._connection.execute(latest.limit(LISTED_OF_VISITOR))],
            list(self._connection.scalars(pages.limit(LISTED_OF_VISITOR))),
            self._contacts(visitor_id),
        )

    def _contacts(self, visitor_id: UUID) -> list[LeftContact]:
        found: list[LeftContact] = []
        for rows, kind in tables_of_visitors().items():
            if kind.contacts:
                left = select(rows).where(rows.c.visitor_id == visitor_id).order_by(rows.c.created_at.desc())
                found += self._values(LeftContact, left.limit(LISTED_OF_VISITOR))
        return found

    def labels(self, agent_id: UUID) -> list[LabelCount]:
        statement = (
            select(CONVERSATION_LABELS.c.label, func.count())
            .where(CONVERSATION_LABELS.c.agent_id == agent_id)
            .group_by(CONVERSATION_LABELS.c.label)
            .order_by(func.lower(CONVERSATION_LABELS.c.label), CONVERSATION_LABELS.c.label)
        )
        return [LabelCount(label, count) for label, count in self._connection.execute(statement)]

    def labels_of(self, conversation_ids: Sequence[UUID] | Select[Any]) -> dict[UUID, tuple[str, ...]]:
        """The labels by conversation; conversations without labels are missing."""
        statement = (
            select(CONVERSATION_LABELS.c.conversation_id, CONVERSATION_LABELS.c.label)
            .where(CONVERSATION_LABELS.c.conversation_id.in_(conversation_ids))
            .order_by(CONVERSATION_LABELS.c.label)
        )
        found: dict[UUID, tuple[str, ...]] = {}
        for conversation_id, label in self._connection.execute(statement):
            found[conversation_id] = (*found.get(conversation_id, ()), label)
        return found

    def label_counts(self, conversation_ids: Sequence[UUID]) -> dict[UUID, int]:
        """The number of labels by conversation; conversations without labels are missing."""
        statement = (
            select(CONVERSATION_LABELS.c.conversation_id, func.count())
            .where(CONVERSATION_LABELS.c.conversation_id.in_(conversation_ids))
            .group_by(CONVERSATION_LABELS.c.conversation_id)
        )
        return dict(self._connection.execute(statement).all())

    def lock(self, agent_id: UUID, conversation_ids: Sequence[UUID]) -> list[Conversation]:
        """The agent's conversations among these, in the given order, locked until the transaction ends."""
        return self._locked_rows(Conversation, CONVERSATIONS, agent_id, conversation_ids)

    def change(self, agent_id: UUID, conversation_ids: Sequence[UUID], change: ConversationChange) -> None:
        """Apply the change to conversations, all of which must belong to the agent."""
        values: dict[str, Any] = {}
        if change.state is not None:
            values["closed_at"] = self._now() if change.state is ConversationState.CLOSED else None
        if change.assignee is not None:
            values["assignee"] = change.assignee
        if values:
            self._update(CONVERSATIONS, CONVERSATIONS.c.id.in_(conversation_ids), **values)
        if change.remove_labels:
            self._delete(
                CONVERSATION_LABELS,
                CONVERSATION_LABELS.c.conversation_id.in_(conversation_ids)
                & CONVERSATION_LABELS.c.label.in_(change.remove_labels),
            )
        rows = [
            {"id": new_id(), "agent_id": agent_id, "conversation_id": each, "label": label}
            for each in conversation_ids
            for label in change.add_labels
        ]
        if rows:
            self._connection.execute(self._insert(CONVERSATION_LABELS).on_conflict_do_nothing(), rows)

    def notes(self, conversation_id: UUID) -> list[Note]:
        """Oldest first."""
        statement = (
            select(CONVERSATION_NOTES)
            .where(CONVERSATION_NOTES.c.conversation_id == conversation_id)
            .order_by(CONVERSATION_NOTES.c.created_at, CONVERSATION_NOTES.c.id)
        )
        return self._values(Note, statement)

    def add_note(self, conversation: Conversation, author: str, text: str) -> Note:
        note = Note(new_id(), author, text, self._now())
        whose = {"agent_id": conversation.agent_id, "conversation_id": conversation.id}
        self._add(CONVERSATION_NOTES, note, **whose)
        return note

    def remove_note(self, conversation_id: UUID, note_id: UUID) -> None:
        """Raises NotFound if the conversation has no such note."""
        own = (CONVERSATION_NOTES.c.conversation_id == conversation_id) & (CONVERSATION_NOTES.c.id == note_id)
        self._delete_one(CONVERSATION_NOTES, "note", own)

    def _listed(self, agent_id: UUID, only: ConversationFilter) -> list[Any]:
        fits = fitting(self._tx, agent_id, only)
        of_agent: ColumnElement[bool] = CONVERSATIONS.c.agent_id == agent_id
        if only.visitor_id is not None:
            # Checks the agent of the visitor, because SQLite may otherwise scan all of the agent's conversations.
            of_agent = exists().where(VISITORS.c.id == only.visitor_id, VISITORS.c.agent_id == agent_id)
        if only.user_id is not None:
            named = select(VISITORS.c.id).where(VISITORS.c.agent_id == agent_id, VISITORS.c.user_id == only.user_id)
            of_agent = CONVERSATIONS.c.visitor_id == named.scalar_subquery()
        chatted = exists().where(LIVE_CHATS.c.conversation_id == CONVERSATIONS.c.id)
        return [of_agent, or_(CONVERSATIONS.c.turn_count > 0, chatted), *fits]


def _entry(
    conversation: Conversation, turns: Sequence[Any], labels: tuple[str, ...], user_id: str | None, is_handed_over: bool
) -> InboxEntry:
    """`turns` are latest first."""
    outcomes = [
        outcome_of_turn(
            TurnState(turn.state),
            None if turn.answered_by is None else AnsweredBy(turn.answered_by),
            is_low=turn.low_confidence,
        )
        for turn in turns
    ]
    outcome = worst(outcomes)
    ratings = {turn.rating for turn in turns}
    return InboxEntry(
        conversation,
        labels,
        Outcome.HANDED_OVER if is_handed_over else outcome,
        outcomes.count(outcome),
        "down" if "down" in ratings else "up" if "up" in ratings else None,
        next((turn.page_url for turn in turns if turn.page_url), ""),
        next((turn.language for turn in turns if turn.language), None),
        user_id,
    )
