"""What operators do with agents: draft, publish, look back."""

from collections.abc import Callable
from dataclasses import fields
from uuid import UUID

from app.domain.agent import Agent, AgentConfig, AgentVersion
from app.domain.errors import InvalidInput
from app.domain.list_page import ListPage, PageRequest
from app.operating.actor import Actor
from app.operating.agent_rules import checked_config
from app.operating.list_paging import page_of
from app.ports.job_queue import JobQueue
from app.store.agents import AgentRecords
from app.store.audit import AuditRecords
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction


class Agents:
    """Every method raises NotFound for an agent that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, jobs: JobQueue) -> None:
        self._records = records
        self._jobs = jobs

    async def create(self, actor: Actor, config: AgentConfig) -> Agent:
        """Raises InvalidInput."""
        config = checked_config(config)
        async with self._records.write() as tx:
            agent = await AgentRecords(tx).create(actor.workspace_id, config)
            await AuditRecords(tx).record(
                actor.workspace_id, actor.name, "agent.create", str(agent.id), {"name": config.name}
            )
        return agent

    async def get(self, actor: Actor, agent_id: UUID) -> Agent:
        async with self._records.read() as tx:
            return await AgentRecords(tx).get(actor.workspace_id, agent_id)

    async def page(self, actor: Actor, page: PageRequest) -> ListPage[Agent]:
        async with self._records.read() as tx:
            return await AgentRecords(tx).page(actor.workspace_id, page)

    async def change_draft(self, actor: Actor, agent_id: UUID, change: Callable[[AgentConfig], AgentConfig]) -> Agent:
        """Save what `change` makes of the draft as it stands. Raises InvalidInput."""
        async with self._records.write() as tx:
            before = (await AgentRecords(tx).get(actor.workspace_id, agent_id)).draft
            after = checked_config(change(before))
            agent = await AgentRecords(tx).save_draft(actor.workspace_id, agent_id, after)
            changed = [f.name for f in fields(after) if getattr(after, f.name) != getattr(before, f.name)]
            await AuditRecords(tx).record(
                actor.workspace_id, actor.name, "agent.edit", str(agent_id), {"changed": changed}
            )
        return agent

    async def publish(self, actor: Actor, agent_id: UUID, *, lost: int = 0) -> AgentVersion:
        """The draft goes live; an unchanged draft gives the live version back. `lost` golden questions, which the
        audit names, were weighed before."""
        async with self._records.write() as tx:
            before = await _live_language(tx, actor, agent_id)
            version = await AgentRecords(tx).publish(actor.workspace_id, agent_id)
            told = {"version": version.number} | ({"lost_golden_questions": lost} if lost else {})
            await AuditRecords(tx).record(actor.workspace_id, actor.name, "agent.publish", str(agent_id), told)
        if version.config.language != before:
            # Its keyword index is built for one language.
            await self._jobs.reconcile_agent(agent_id)
        return version

    async def versions(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[AgentVersion]:
        """Newest first."""
        async with self._records.read() as tx:
            versions = await AgentRecords(tx).versions(actor.workspace_id, agent_id)
        return page_of(versions, page, lambda version: str(version.number))

    async def version(self, actor: Actor, agent_id: UUID, number: int) -> AgentVersion:
        """Raises InvalidInput for a number that no version has."""
        async with self._records.read() as tx:
            versions = await AgentRecords(tx).versions(actor.workspace_id, agent_id)
        found = next((version for version in versions if version.number == number), None)
        if found is None:
            raise InvalidInput("number", "No version of this agent has it. List the versions, and choose one.")
        return found


async def _live_language(tx: Transaction, actor: Actor, agent_id: UUID) -> str | None:
    """None as well before the first publish: what was indexed until then was indexed without a language."""
    agent = await AgentRecords(tx).get(actor.workspace_id, agent_id)
    if agent.live_version is None:
        return None
    versions = await AgentRecords(tx).versions(actor.workspace_id, agent_id)
    return next(v.config.language for v in versions if v.number == agent.live_version)
