"""Operators list, create, change, delete and try an agent's actions."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from app.actions.action import Action, ActionHosts, check_action, check_headers
from app.actions.action_calls import ActionCalls, CountedCaller
from app.actions.records import ActionRecords
from app.agents.own_agent import OwnAgent, reads_agent, writes_agent
from app.answers.offered_actions import CalledAction
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

MAX_ACTIONS: Final = 20  # of an agent

changes_of(
    "action",
    "Action",
    "Actions",
    {
        "create": "Action added",
        "edit": "Action changed",
        "delete": "Action deleted",
        "try": "Action tried",
        "confirmed": "Change confirmed by a visitor",
        "declined": "Change declined by a visitor",
        "done": "Confirmed change done",
        "failed": "Confirmed change failed",
        "unknown": "Confirmed change: outcome unknown",
        "expired": "Proposed change expired",
        "void": "Proposed change withdrawn",
    },
)


class Actions(Wired):
    """Every method raises NotFound for an agent or action that is absent or another workspace's."""

    _records: SystemOfRecord
    _calls: ActionCalls
    _hosts: ActionHosts

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that actions of this installation may call."""
        return self._hosts.names

    @reads_agent
    def actions(self, tx: Transaction, actor: Actor, agent_id: UUID) -> list[Action]:
        """By name."""
        return ActionRecords(tx).actions(agent_id)

    @reads_agent
    def action(self, tx: Transaction, actor: Actor, agent_id: UUID, action_id: UUID) -> Action:
        return ActionRecords(tx).action(agent_id, action_id)

    async def create(self, actor: Actor, action: Action, headers: Mapping[str, str]) -> Action:
        """Create the action. If it is on, answers may call it at once. Raises InvalidInput."""
        check_action(action, self._hosts)
        check_headers(headers)

        def work(tx: Transaction) -> Action:
            created = ActionRecords(tx).create(action, headers)
            check_room(tx, action.agent_id)
            AuditRecords(tx).acted(actor, "action.create", created.id, agent_id=str(created.agent_id))
            return created

        return await OwnAgent(self._records, actor, action.agent_id).write(work)

    async def change(
        self,
        actor: Actor,
        agent_id: UUID,
        action_id: UUID,
        change: Callable[[Action], Action],
        headers: Mapping[str, str] | None = None,
    ) -> Action:
        """Save what `change` returns. Without `headers`, the stored ones stay if the server is the same. Raises
        InvalidInput."""
        check_headers(headers or {})

        def work(tx: Transaction) -> Action:
            before = ActionRecords(tx).action(agent_id, action_id)
            after = change(before)
            check_action(after, self._hosts)
            if headers is None and before.header_names and after.server != before.server:
                raise InvalidInput("headers", "Send the headers again, or none ({}): the host has changed.")
            saved = ActionRecords(tx).save(after, headers)
            AuditRecords(tx).acted(actor, "action.edit", action_id, agent_id=str(agent_id))
            return saved

        return await OwnAgent(self._records, actor, agent_id).write(work)

    @writes_agent
    def delete(self, tx: Transaction, actor: Actor, agent_id: UUID, action_id: UUID) -> None:
        ActionRecords(tx).delete(agent_id, action_id)
        AuditRecords(tx).acted(actor, "action.delete", action_id, agent_id=str(agent_id))

    async def try_out(
        self, actor: Actor, agent_id: UUID, action_id: UUID, arguments: Mapping[str, Any], visitor: Mapping[str, str]
    ) -> CalledAction:
        """Call the action once, even if it is off, with `visitor` as the signed facts. Counts towards the daily
        limit."""

        def work(tx: Transaction) -> Action:
            AuditRecords(tx).acted(actor, "action.try", action_id, agent_id=str(agent_id))
            return ActionRecords(tx).action(agent_id, action_id)

        action = await OwnAgent(self._records, actor, agent_id).write(work)
        operators = CountedCaller(f"operators of {agent_id}")
        return await self._calls.call(actor.workspace_id, action, arguments, visitor, operators)


def check_room(tx: Transaction, agent_id: UUID) -> None:
    """Raises InvalidInput if the agent has more than MAX_ACTIONS actions."""
    if len(ActionRecords(tx).actions(agent_id)) > MAX_ACTIONS:
        raise InvalidInput("", f"An agent has {MAX_ACTIONS} actions at most. Delete some first.")


def stored_onto(stored: Action, written: Action) -> Action:
    return replace(
        written, id=stored.id, agent_id=stored.agent_id, header_names=stored.header_names, revision=stored.revision
    )
