"""Transactions about an agent to which an operator has access."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.store.system_of_record import SystemOfRecord, Transaction, UseCase

Value = TypeVar("Value")
Given = ParamSpec("Given")
Owner = TypeVar("Owner", bound=UseCase)


@dataclass(frozen=True, slots=True)
class OwnAgent:
    """Transactions of the record that first check the agent: both methods raise NotFound, before calling `work`, if it
    does not exist or belongs to another workspace than the actor's."""

    records: SystemOfRecord
    actor: Actor
    agent_id: UUID

    async def read(self, work: Callable[[Transaction], Value]) -> Value:
        return await self.records.of_workspace(self.actor.workspace_id).read(lambda tx: self._checked(tx, work))

    async def write(self, work: Callable[[Transaction], Value]) -> Value:
        return await self.records.of_workspace(self.actor.workspace_id).write(lambda tx: self._checked(tx, work))

    def _checked(self, tx: Transaction, work: Callable[[Transaction], Value]) -> Value:
        AgentRecords(tx).agent(self.actor.workspace_id, self.agent_id)
        return work(tx)


def reads_agent(
    method: Callable[Concatenate[Owner, Transaction, Actor, UUID, Given], Value],
) -> Callable[Concatenate[Owner, Actor, UUID, Given], Coroutine[Any, Any, Value]]:
    """Like `reads`, for a method about an agent; raises NotFound before calling it for one that is not the actor's."""

    @wraps(method)
    async def reading(self: Owner, actor: Actor, agent_id: UUID, /, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        own = OwnAgent(self._records, actor, agent_id)
        return await own.read(lambda tx: method(self, tx, actor, agent_id, *args, **kwargs))

    return reading


def writes_agent(
    method: Callable[Concatenate[Owner, Transaction, Actor, UUID, Given], Value],
) -> Callable[Concatenate[Owner, Actor, UUID, Given], Coroutine[Any, Any, Value]]:
    """Like `reads_agent`, for a method that changes something."""

    @wraps(method)
    async def writing(self: Owner, actor: Actor, agent_id: UUID, /, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        own = OwnAgent(self._records, actor, agent_id)
        return await own.write(lambda tx: method(self, tx, actor, agent_id, *args, **kwargs))

    return writing
