"""Leads: visitors leave them, and operators handle them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from app.agents.own_agent import OwnAgent
from app.agents.records import AgentRecords
from app.conversations.conversation import MAX_AT_ONCE
from app.conversations.inbox import check_search
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.field_rules import check_chosen
from app.core.list_page import ListPage, PageRequest, collected
from app.core.setting import check_limits
from app.core.turn import VisitorSession
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.leads.lead import (
    EVERY_LEAD,
    LEAD_LEFT,
    Lead,
    LeadChange,
    LeadFilter,
    LeadState,
)
from app.leads.records import LeadRecords
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.operators import checked_assignee
from app.workspaces.records.audit import AuditRecords

MAX_EXPORTED: Final = 10_000
# As lenient as browsers, because only a mail to an address shows whether it exists.
_EMAIL: Final = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+")

# `assign`: until there was `edit`.
changes_of("lead", "Lead", "Leads", {"edit": "Leads assigned, done or reopened", "assign": "Lead assigned"})


def open_leads(tx: Transaction, agent_id: UUID, _: datetime) -> int:
    return LeadRecords(tx).counts(agent_id, EVERY_LEAD)[LeadState.OPEN]


class Leads(Wired):
    """Operators' methods raise NotFound for an agent that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _clock: Clock

    @writes
    def leave(self, tx: Transaction, session: VisitorSession, name: str, email: str, message: str) -> None:
        """Store a message; the visitor must have agreed to that. Raises InvalidInput, also if the agent offers no form,
        and NotFound if the conversation was erased."""
        if not _EMAIL.fullmatch(email):
            raise InvalidInput("email", 'Write an address, such as "ann@example.com".')
        agent = AgentRecords(tx).live(session.agent_id)
        if not agent.config.fallback.form:
            raise InvalidInput("", "This agent does not accept messages. An operator can turn on fallback.form.")
        lead = Lead(
            id=uuid4(),
            agent_id=session.agent_id,
            visitor_id=session.visitor_id,
            conversation_id=session.conversation_id,
            name=name.strip(),
            email=email,
            message=message.strip(),
            created_at=self._clock.now(),
        )
        check_limits("", lead)
        LeadRecords(tx).add(lead)
        data = {"conversation_id": str(lead.conversation_id), "lead_id": str(lead.id)}
        Outbox(tx).add(lead.agent_id, LEAD_LEFT.name, data, conversation_id=lead.conversation_id)

    async def leads(
        self, actor: Actor, agent_id: UUID, page: PageRequest, only: LeadFilter = EVERY_LEAD
    ) -> ListPage[Lead]:
        """Newest first. Raises InvalidInput."""
        check_search(only.text)

        return await OwnAgent(self._records, actor, agent_id).read(
            lambda tx: LeadRecords(tx).page(agent_id, page, only)
        )

    async def counts(self, actor: Actor, agent_id: UUID, only: LeadFilter) -> Mapping[LeadState, int]:
        """The number of leads by state. Ignores the state of the filter."""
        check_search(only.text)

        return await OwnAgent(self._records, actor, agent_id).read(lambda tx: LeadRecords(tx).counts(agent_id, only))

    async def all_of_agent(self, actor: Actor, agent_id: UUID, only: LeadFilter = EVERY_LEAD) -> list[Lead]:
        """At most MAX_EXPORTED, newest first."""
        return await collected(lambda page: self.leads(actor, agent_id, page, only), MAX_EXPORTED)

    async def change(
        self, actor: Actor, agent_id: UUID, lead_ids: Sequence[UUID], change: LeadChange
    ) -> tuple[list[Lead], list[Lead]]:
        """Change up to MAX_AT_ONCE leads of one agent, all or none; return them before and after. Raises InvalidInput,
        and NotFound for a lead that does not exist or belongs to another agent."""
        check_chosen("lead_ids", lead_ids, MAX_AT_ONCE, "leads")

        return await OwnAgent(self._records, actor, agent_id).write(
            lambda tx: _changed(tx, actor, agent_id, lead_ids, change)
        )

    @writes
    def change_one(self, tx: Transaction, actor: Actor, lead_id: UUID, change: LeadChange) -> Lead:
        """Like `change`, for one lead of any agent; returns the changed lead."""
        agent_id = LeadRecords(tx).lead(actor.workspace_id, lead_id).agent_id
        _, [lead] = _changed(tx, actor, agent_id, [lead_id], change)
        return lead


def _changed(
    tx: Transaction, actor: Actor, agent_id: UUID, lead_ids: Sequence[UUID], wanted: LeadChange
) -> tuple[list[Lead], list[Lead]]:
    """Audited under the agent, not the lead, because the audit outlives the visitor's erasure."""
    if wanted == LeadChange():
        raise InvalidInput("", "Set the state or the assignee.")
    records = LeadRecords(tx)
    were = records.lock(agent_id, lead_ids)
    if len(were) < len(lead_ids):
        raise NotFound("lead")
    if wanted.assignee is not None:
        wanted = replace(wanted, assignee=checked_assignee(tx, actor, wanted.assignee))
    records.change(lead_ids, wanted, actor.name)
    details = {
        "leads": len(lead_ids),
        **({} if wanted.state is None else {"state": wanted.state.value}),
        **({} if wanted.assignee is None else {"assignee": wanted.assignee}),
    }
    AuditRecords(tx).acted(actor, "lead.edit", agent_id, **details)
    return were, records.lock(agent_id, lead_ids)
