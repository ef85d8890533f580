"""Visitors confirm or decline the changes that answers propose; a confirmed change is sent once."""

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

import structlog

from app.actions.action import RESULT_PLACE, Action, filled_template
from app.actions.action_calls import ActionCalls, CountedCaller, DecisionMeter
from app.actions.records import ActionRecords
from app.answers.offered_actions import CalledAction, CallOutcome
from app.conversations.history import HistoryCache
from app.conversations.records.confirmations import ConfirmationRecords, PendingChange
from app.core.actor import Actor
from app.core.confirmation import Confirmation, ConfirmationState
from app.core.errors import DocentError, NotFound
from app.core.turn import VisitorSession
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction, unbroken
from app.workspaces.records.audit import AuditRecords

log = structlog.get_logger(__name__)

_BECAME = {
    CallOutcome.ANSWERED: ConfirmationState.DONE,
    CallOutcome.FAILED: ConfirmationState.FAILED,
    CallOutcome.UNKNOWN: ConfirmationState.UNKNOWN,
}
_BY_VISITOR = "a visitor"
Found = TypeVar("Found")


class Confirmations(Wired):
    """Every method raises NotFound for a change that this visitor was not asked about in this conversation."""

    _records: SystemOfRecord
    _calls: ActionCalls
    _history: HistoryCache
    _meter: DecisionMeter

    async def confirmation(self, session: VisitorSession, confirmation_id: UUID) -> Confirmation:
        """Its present state."""
        return (
            await self._read(session, lambda tx: ConfirmationRecords(tx).own(session, confirmation_id))
        ).confirmation

    async def decline(self, session: VisitorSession, confirmation_id: UUID) -> Confirmation:
        """Decline the change, unless it was already decided. Returns its present state."""

        def work(tx: Transaction) -> tuple[Confirmation, bool]:
            found = ConfirmationRecords(tx).own(session, confirmation_id, is_locked=True)
            if found.confirmation.state is not ConfirmationState.ASKED:
                return found.confirmation, False
            _decide(tx, session, found, ConfirmationState.DECLINED)
            return ConfirmationRecords(tx).own(session, confirmation_id).confirmation, True

        decided, is_new = await self._records.of_workspace(session.workspace_id).write(work)
        if is_new:
            await self._decided(session, decided.state)
        return decided

    async def confirm(self, session: VisitorSession, confirmation_id: UUID) -> Confirmation:
        """Send the change, and return the outcome. A repeated confirmation sends nothing, and returns the first
        outcome, or `confirmed` while the first call is in progress.

        The call is made after the decision was committed. If the process dies in between, the outcome stays unknown,
        and the change is not sent again. Raises RateLimited, with nothing decided.
        """
        found, action = await self._read(session, lambda tx: self._found(tx, session, confirmation_id))
        if found.confirmation.state is not ConfirmationState.ASKED:
            return found.confirmation
        if action is not None:
            who = CountedCaller(str(session.visitor_id), session.network)
            await self._calls.count(session.workspace_id, action, who)
        return await unbroken(self._confirm(session, confirmation_id))

    async def _confirm(self, session: VisitorSession, confirmation_id: UUID) -> Confirmation:
        def work(tx: Transaction) -> tuple[PendingChange, Action | None, bool]:
            found, action = self._found(tx, session, confirmation_id, is_locked=True)
            if found.confirmation.state is not ConfirmationState.ASKED:
                return found, action, False
            _decide(tx, session, found, ConfirmationState.CONFIRMED if action else ConfirmationState.VOID)
            return ConfirmationRecords(tx).own(session, confirmation_id), action, True

        found, action, is_mine = await self._records.of_workspace(session.workspace_id).write(work)
        if not is_mine:
            return found.confirmation
        if action is None:
            await self._decided(session, found.confirmation.state)
            return found.confirmation
        called = await self._calls.change(session.workspace_id, action, found.change)
        return await self._settle(session, found, action, called)

    async def _settle(
        self, session: VisitorSession, found: PendingChange, action: Action, called: CalledAction
    ) -> Confirmation:
        """Store the outcome of the call. If the database is down, the outcome stays unknown; the call is never
        repeated."""
        state = _BECAME[called.outcome]
        values = {each.name: each.value for each in found.confirmation.shown} | {RESULT_PLACE: called.text}
        text = filled_template(action.done_text, values) if state is ConfirmationState.DONE else ""

        def work(tx: Transaction) -> Confirmation:
            ConfirmationRecords(tx).settle(found.confirmation.id, state, text, called.status)
            return ConfirmationRecords(tx).own(session, found.confirmation.id).confirmation

        try:
            settled = await self._records.of_workspace(session.workspace_id).write(work)
        except DocentError as error:
            log.error("action.outcome_not_stored", confirmation=str(found.confirmation.id), outcome=state.value)
            raise error
        await self._decided(session, state)
        return settled

    def _found(
        self, tx: Transaction, session: VisitorSession, confirmation_id: UUID, *, is_locked: bool = False
    ) -> tuple[PendingChange, Action | None]:
        """The change with its action, which is None if it was changed, deleted or switched off since the proposal."""
        found = ConfirmationRecords(tx).own(session, confirmation_id, is_locked=is_locked)
        try:
            action = ActionRecords(tx).action(session.agent_id, found.change.action_id)
        except NotFound:
            return found, None
        is_same = action.changes and action.revision == found.change.revision and self._calls.allows(action)
        return found, action if is_same else None

    async def _read(self, session: VisitorSession, work: Callable[[Transaction], Found]) -> Found:
        return await self._records.of_workspace(session.workspace_id).read(work)

    async def _decided(self, session: VisitorSession, state: ConfirmationState) -> None:
        self._meter.decided(state)
        await self._history.people_wrote(session.conversation_id)


def _decide(tx: Transaction, session: VisitorSession, found: PendingChange, state: ConfirmationState) -> None:
    ConfirmationRecords(tx).decide(found.confirmation.id, state)
    details = {"agent_id": str(session.agent_id), "confirmation": str(found.confirmation.id)}
    by = Actor(session.workspace_id, _BY_VISITOR)
    AuditRecords(tx).acted(by, f"action.{state.value}", found.change.action_id, **details)
