"""Exports and erases a visitor's data, at the visitor's or an operator's request."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Protocol
from uuid import UUID

import structlog

from app.conversations.privacy.records import VisitorRecords
from app.conversations.privacy.rights import Erasure, VisitorExport
from app.conversations.records.conversations import ConversationRecords
from app.core.actor import Actor
from app.core.turn import VisitorSession
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

log = structlog.get_logger(__name__)

VISITOR = "visitor"  # the audit's name for all visitors who act for themselves

changes_of("visitor", "Visitor", "Visitors", {"erase": "Visitor erased"})
# By workers, which do not serve the audit.
changes_of("visitors", "Visitors", "Visitor data by age", {"expire": "Visitors' data erased by age"})


class ConversationTerminator(Protocol):
    """Ends turns of conversations, and forgets their data outside the system of record."""

    async def end(self, conversation_ids: Collection[UUID]) -> None:
        """End their running turns, and forget their events and cached history. After this returns, this process writes
        nothing more about them, unless a turn was begun meanwhile."""
        ...


class VisitorData(Wired):
    """Every method raises NotFound for what does not exist, was erased, or belongs to another workspace.

    Running turns are ended first; data outside the record is forgotten once more after the commit, in case a turn was
    begun meanwhile. The audit names the receipt, never the visitor.
    """

    _records: SystemOfRecord
    _live: ConversationTerminator

    async def export_own(self, session: VisitorSession) -> VisitorExport:
        """The visitor's own export, without operators' data about them."""
        export = await self._export(session.workspace_id, session.visitor_id)
        return replace(export, conversations=tuple(replace(each, labels=(), notes=()) for each in export.conversations))

    async def export(self, actor: Actor, visitor_id: UUID) -> VisitorExport:
        return await self._export(actor.workspace_id, visitor_id)

    async def erase_own(self, session: VisitorSession) -> Erasure:
        return await self._erase_visitor(Actor(session.workspace_id, VISITOR), session.visitor_id)

    async def erase(self, actor: Actor, visitor_id: UUID) -> Erasure:
        return await self._erase_visitor(actor, visitor_id)

    async def erase_conversation(self, actor: Actor, conversation_id: UUID) -> Erasure:
        await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: ConversationRecords(tx).conversation(actor.workspace_id, conversation_id)
        )
        return await self._erase(
            actor,
            "conversation.erase",
            [conversation_id],
            lambda tx: VisitorRecords(tx).erase_conversation(actor.workspace_id, conversation_id),
        )

    async def _export(self, workspace_id: UUID, visitor_id: UUID) -> VisitorExport:
        return await self._records.of_workspace(workspace_id).read(
            lambda tx: VisitorRecords(tx).everything(workspace_id, visitor_id)
        )

    async def _erase_visitor(self, by: Actor, visitor_id: UUID) -> Erasure:
        conversation_ids = await self._records.of_workspace(by.workspace_id).read(
            lambda tx: VisitorRecords(tx).conversation_ids(by.workspace_id, visitor_id)
        )
        return await self._erase(
            by, "visitor.erase", conversation_ids, lambda tx: VisitorRecords(tx).erase(by.workspace_id, visitor_id)
        )

    async def _erase(
        self,
        by: Actor,
        action: str,
        conversation_ids: Collection[UUID],
        erase: Callable[[Transaction], Erasure],
    ) -> Erasure:
        await self._live.end(conversation_ids)

        def work(tx: Transaction) -> Erasure:
            erasure = erase(tx)
            agent_id, turns = str(erasure.agent_id), erasure.rows["turns"]
            AuditRecords(tx).acted(by, action, erasure.id, agent_id=agent_id, turns=turns)
            return erasure

        erasure = await self._records.of_workspace(by.workspace_id).write(work)
        await self._live.end(erasure.conversation_ids)
        if not await self._records.empty_journal():
            log.warning("erasure.journal_busy", receipt=str(erasure.id))
        return erasure
