"""Transactions over one agent that an operator may reach."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from app.agents.records.agents import AgentRecords
from app.core.actor import Actor
from app.store.system_of_record import SystemOfRecord, Transaction

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class OwnAgent:
    """`read` and `write` are those of the record. Both raise NotFound, before `work` is called, for an agent that does
    not exist or belongs to another workspace than the actor's."""

    records: SystemOfRecord
    actor: Actor
    agent_id: UUID

    async def read(self, work: Callable[[Transaction], Value]) -> Value:
        return await self.records.of_workspace(self.actor.workspace_id).read(lambda tx: self._checked(tx, work))

    async def write(self, work: Callable[[Transaction], Value]) -> Value:
        return await self.records.of_workspace(self.actor.workspace_id).write(lambda tx: self._checked(tx, work))

    def _checked(self, tx: Transaction, work: Callable[[Transaction], Value]) -> Value:
        AgentRecords(tx).get(self.actor.workspace_id, self.agent_id)
        return work(tx)
