"""Leads: messages that visitors left for people to answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Index, func, or_, select, text, update

from app.conversations.conversation import NOBODY, words_of
from app.conversations.records.conversation_search import holds
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.leads.lead import EVERY_LEAD, Lead, LeadChange, LeadFilter, LeadState
from app.store.schema import OfVisitors, StorableText, UtcDateTime, column, own_id, parent, table, where
from app.store.tables.agents import own_row
from app.store.tables.conversations import CONVERSATIONS
from app.store.transaction import Keyset, Repository, batches


@dataclass(frozen=True, slots=True)
class ExportedLead:
    id: UUID
    conversation_id: UUID
    name: str
    email: str
    message: str
    created_at: datetime


LEADS = table(
    "leads",
    OfVisitors(
        "leads", "What the visitor left for people to answer.", expire=True, exported=ExportedLead, contacts=True
    ),
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors", index=True),
    parent("conversation_id", "conversations", index=True),
    column("name", StorableText, default=""),
    column("email", StorableText),
    column("message", StorableText),
    column("assignee", StorableText, default="", server_default=text("''")),
    column("created_at", UtcDateTime),
    column("done_at", UtcDateTime, nullable=True),
    column("done_by", StorableText, default="", server_default=text("''")),
    Index(None, "agent_id", "created_at"),
    Index("ix_leads_open", "agent_id", "created_at", **where("done_at IS NULL")),
)

_LATEST_FIRST = Keyset(LEADS.c.created_at, LEADS.c.id, descending=True)
_IS_OPEN = LEADS.c.done_at.is_(None)


class LeadRecords(Repository):
    def add(self, lead: Lead) -> None:
        """Raises NotFound if the conversation is not that visitor's with that agent, or was erased."""
        known = select(CONVERSATIONS.c.id).where(
            CONVERSATIONS.c.id == lead.conversation_id,
            CONVERSATIONS.c.visitor_id == lead.visitor_id,
            CONVERSATIONS.c.agent_id == lead.agent_id,
        )
        if self._connection.scalar(known) is None:
            raise NotFound("conversation")
        self._add(LEADS, lead)

    def lead(self, workspace_id: UUID, lead_id: UUID) -> Lead:
        """Raises NotFound, also for another workspace's."""
        return self._found(Lead, own_row(LEADS, workspace_id, lead_id), "lead")

    def lock(self, agent_id: UUID, lead_ids: Sequence[UUID]) -> list[Lead]:
        """The agent's leads among these, in the given order, locked until the transaction ends."""
        return self._locked_rows(Lead, LEADS, agent_id, lead_ids)

    def change(self, lead_ids: Sequence[UUID], change: LeadChange, by: str) -> None:
        """Apply a change by the operator `by`. Leads that are already done keep who closed them."""
        changed = update(LEADS).where(LEADS.c.id.in_(lead_ids))
        if change.assignee is not None:
            self._connection.execute(changed.values(assignee=change.assignee))
        if change.state is LeadState.DONE:
            self._connection.execute(changed.where(_IS_OPEN).values(done_at=self._now(), done_by=by))
        elif change.state is LeadState.OPEN:
            self._connection.execute(changed.values(done_at=None, done_by=""))

    def addresses(self, conversation_ids: Iterable[UUID]) -> Mapping[UUID, Sequence[str]]:
        """The addresses left in these conversations, by conversation and oldest first; without those that have none."""
        found: dict[UUID, list[str]] = {}
        for batch in batches(conversation_ids):
            left_in = select(LEADS.c.conversation_id, LEADS.c.email).where(LEADS.c.conversation_id.in_(batch))
            for conversation_id, email in self._connection.execute(left_in.order_by(LEADS.c.id)):
                found.setdefault(conversation_id, []).append(email)
        return found

    def page(self, agent_id: UUID, page: PageRequest, only: LeadFilter = EVERY_LEAD) -> ListPage[Lead]:
        """Newest first."""
        return self._page(_LATEST_FIRST, Lead, select(LEADS).where(*self._fitting(agent_id, only)), page)

    def counts(self, agent_id: UUID, only: LeadFilter) -> Mapping[LeadState, int]:
        fitting = self._fitting(agent_id, replace(only, state=None))
        statement = select(_IS_OPEN, func.count()).where(*fitting).group_by(_IS_OPEN)
        found = {bool(is_open): count for is_open, count in self._connection.execute(statement)}
        return {LeadState.OPEN: found.get(True, 0), LeadState.DONE: found.get(False, 0)}

    def _fitting(self, agent_id: UUID, only: LeadFilter) -> list[ColumnElement[bool]]:
        wanted: list[ColumnElement[bool]] = [LEADS.c.agent_id == agent_id]
        if only.state is not None:
            wanted.append(_IS_OPEN if only.state is LeadState.OPEN else LEADS.c.done_at.is_not(None))
        if only.assignee is not None:
            wanted.append(LEADS.c.assignee == ("" if only.assignee == NOBODY else only.assignee))
        return [*wanted, *(self._says(word) for word in words_of(only.text))]

    def _says(self, word: str) -> ColumnElement[bool]:
        is_sqlite = self._dialect == "sqlite"
        conversations = select(CONVERSATIONS.c.id).where(
            CONVERSATIONS.c.id == LEADS.c.conversation_id, holds(CONVERSATIONS.c.first_question, word, is_sqlite)
        )
        own = (LEADS.c.name, LEADS.c.email, LEADS.c.message)
        return or_(*(holds(column, word, is_sqlite) for column in own), conversations.exists())
