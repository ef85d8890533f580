"""What visitors leave for people to answer, and what operators see of it."""

import re
from dataclasses import replace
from typing import Final
from uuid import UUID, uuid4

from app.agents.own_agent import OwnAgent
from app.agents.records.agents import AgentRecords
from app.conversations.people.lead import MAX_EMAIL_CHARS, MAX_MESSAGE_CHARS, MAX_NAME_CHARS, Lead
from app.conversations.people.records.leads import LeadRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.field_rules import check_line, check_text
from app.core.list_page import ListPage, PageRequest, collected
from app.core.turn import VisitorSession
from app.core.webhook_event import WebhookEvent
from app.kit.clock import Clock
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.assignees import checked_assignee
from app.workspaces.records.audit import AuditRecords

MAX_EXPORTED: Final = 10_000
# What browsers take for an address; only a letter to it shows whether there is one.
_EMAIL: Final = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+")


class Leads:
    """Operators' methods raise NotFound for an agent that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def leave(self, session: VisitorSession, name: str, email: str, message: str) -> None:
        """The caller has the visitor's consent. Raises InvalidInput, also where the agent offers no form, and NotFound
        where the conversation was erased."""
        check_line("name", name, MAX_NAME_CHARS)
        check_line("email", email, MAX_EMAIL_CHARS)
        if not _EMAIL.fullmatch(email):
            raise InvalidInput("email", 'Write an address, such as "ann@example.com".')
        check_text("message", message, MAX_MESSAGE_CHARS, may_be_empty=False)

        def work(tx: Transaction) -> None:
            agent = AgentRecords(tx).live(session.agent_id)
            if not agent.config.fallback.form:
                raise InvalidInput("", "This agent takes no messages. Its operator may set fallback.form.")
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
            LeadRecords(tx).add(lead)
            told = {"conversation_id": str(lead.conversation_id), "lead_id": str(lead.id)}
            Outbox(tx).tell(lead.agent_id, WebhookEvent.LEAD_LEFT.value, told, conversation_id=lead.conversation_id)

        await self._records.of_workspace(session.workspace_id).write(work)

    async def of_agent(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[Lead]:
        """Latest first."""

        return await OwnAgent(self._records, actor, agent_id).read(lambda tx: LeadRecords(tx).page(agent_id, page))

    async def get(self, actor: Actor, lead_id: UUID) -> Lead:
        """Raises NotFound for one that is absent or another workspace's."""
        return await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: LeadRecords(tx).get(actor.workspace_id, lead_id)
        )

    async def assign(self, actor: Actor, lead_id: UUID, assignee: str) -> Lead:
        """To the operator of that e-mail address, "" for nobody. Raises InvalidInput, and NotFound as `get` does. The
        audit names the agent and not the lead, which its visitor's erasure must leave nowhere."""

        def work(tx: Transaction) -> Lead:
            lead = LeadRecords(tx).get(actor.workspace_id, lead_id)
            given = replace(lead, assignee=checked_assignee(tx, actor, assignee))
            LeadRecords(tx).assign(lead_id, given.assignee)
            told = {"assignee": given.assignee}
            AuditRecords(tx).record(actor.workspace_id, actor.name, "lead.assign", str(lead.agent_id), told)
            return given

        return await self._records.of_workspace(actor.workspace_id).write(work)

    async def all_of_agent(self, actor: Actor, agent_id: UUID) -> list[Lead]:
        """The latest MAX_EXPORTED, latest first."""
        return await collected(lambda page: self.of_agent(actor, agent_id, page), MAX_EXPORTED)
