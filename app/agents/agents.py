"""Operators' work on agents: draft, publish, versions; and an agent's picture, which is part of its settings."""

import base64
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Final
from uuid import UUID

import anyio.to_thread

from app.agents.agent import Agent, AgentConfig, AgentVersion, LiveAgent
from app.agents.agent_rules import checked_config
from app.agents.model_endpoints import ChatModelNames
from app.agents.own_agent import writes_agent
from app.agents.records import AgentRecords, MilestoneRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import ListPage, PageRequest, page_of
from app.core.source_file import Upload
from app.kit.job_queue import JobQueue
from app.kit.wiring import Wired
from app.providers.pillow_picture import square_picture
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

changes_of(
    "agent",
    "Agent",
    "Agents",
    {
        "create": "Agent created",
        "edit": "Draft changed",
        "publish": "Agent published",
        "pause": "Agent paused",
        "resume": "Agent resumed",
        "delete": "Agent deleted",
        "make_user_secret": "Signed-user secret created",
        "remove_user_secret": "Signed-user secret removed",
        "set_user_issuer": "Token issuer set",
        "remove_user_issuer": "Token issuer removed",
    },
)


class Agents(Wired):
    """Every method raises NotFound for an agent that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _jobs: JobQueue
    _chat_models: ChatModelNames

    @writes
    def create(self, tx: Transaction, actor: Actor, config: AgentConfig) -> Agent:
        """Raises InvalidInput."""
        config = checked_config(config)
        self._chat_models.check(tx, actor.workspace_id, config.chat_model)
        agent = AgentRecords(tx).create(actor.workspace_id, config)
        AuditRecords(tx).acted(actor, "agent.create", agent.id, name=config.name)
        return agent

    @reads
    def model_choices(self, tx: Transaction, actor: Actor) -> tuple[str, ...]:
        """The chat models that may be tried."""
        return self._chat_models.choices(tx, actor.workspace_id)

    @reads
    def agent(self, tx: Transaction, actor: Actor, agent_id: UUID) -> Agent:
        return AgentRecords(tx).agent(actor.workspace_id, agent_id)

    async def live(self, agent_id: UUID) -> LiveAgent:
        """The published agent, without a check of the caller. Raises NotFound."""
        return await self._records.of_agent(agent_id).read(lambda tx: AgentRecords(tx).live(agent_id))

    @writes_agent
    def tried(self, tx: Transaction, actor: Actor, agent_id: UUID) -> None:
        """Store the milestone that an operator has asked the agent a question."""
        MilestoneRecords(tx).tried(agent_id)

    @reads
    def page(self, tx: Transaction, actor: Actor, page: PageRequest) -> ListPage[Agent]:
        return AgentRecords(tx).page(actor.workspace_id, page)

    @writes
    def change_draft(
        self, tx: Transaction, actor: Actor, agent_id: UUID, change: Callable[[AgentConfig], AgentConfig]
    ) -> Agent:
        """Store what `change` returns for the current draft. Raises InvalidInput."""
        before = AgentRecords(tx).agent(actor.workspace_id, agent_id).draft
        after = checked_config(change(before))
        if after.chat_model != before.chat_model:
            self._chat_models.check(tx, actor.workspace_id, after.chat_model)
        agent = AgentRecords(tx).save_draft(actor.workspace_id, agent_id, after)
        changed = [f.name for f in fields(after) if getattr(after, f.name) != getattr(before, f.name)]
        AuditRecords(tx).acted(actor, "agent.edit", agent_id, changed=changed)
        return agent

    async def publish(self, actor: Actor, agent_id: UUID, note: str = "", *, lost: int = 0) -> AgentVersion:
        """Publish the draft; an unchanged draft returns the live version. `lost` is the number of golden questions
        whose loss was accepted, for the audit."""

        def work(tx: Transaction) -> tuple[AgentVersion, str | None]:
            before = _live_language(tx, actor, agent_id)
            version = AgentRecords(tx).publish(actor.workspace_id, agent_id, actor.name, note)
            details = {"version": version.number} | ({"lost_golden_questions": lost} if lost else {})
            AuditRecords(tx).acted(actor, "agent.publish", agent_id, **details)
            return version, before

        version, before = await self._records.of_workspace(actor.workspace_id).write(work)
        if version.config.language != before:
            # The keyword index is built for one language.
            await self._jobs.reconcile_agent(agent_id)
        return version

    @writes
    def pause(self, tx: Transaction, actor: Actor, agent_id: UUID, is_paused: bool) -> Agent:
        """Pause or resume the agent. While it is paused, questions of visitors and programs are refused; everything
        else continues."""
        agent = AgentRecords(tx).agent(actor.workspace_id, agent_id)
        if (agent.paused_at is not None) is is_paused:
            return agent
        AuditRecords(tx).acted(actor, "agent.pause" if is_paused else "agent.resume", agent_id)
        return AgentRecords(tx).pause(actor.workspace_id, agent_id, is_paused)

    @reads
    def versions(self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[AgentVersion]:
        """Newest first."""
        versions = AgentRecords(tx).versions(actor.workspace_id, agent_id)
        return page_of(versions, page, lambda version: str(version.number))

    @reads
    def version(self, tx: Transaction, actor: Actor, agent_id: UUID, number: int) -> AgentVersion:
        """Raises InvalidInput for an unknown number."""
        versions = AgentRecords(tx).versions(actor.workspace_id, agent_id)
        found = next((version for version in versions if version.number == number), None)
        if found is None:
            raise InvalidInput("number", "This agent has no such version. Choose one from the list of versions.")
        return found


def _live_language(tx: Transaction, actor: Actor, agent_id: UUID) -> str | None:
    """The published language; None before the first publish, when indexing has no language."""
    agent = AgentRecords(tx).agent(actor.workspace_id, agent_id)
    return None if agent.live_version is None else AgentRecords(tx).live(agent_id).config.language


MAX_UPLOAD_BYTES: Final = 2 * 1024 * 1024


class AgentPictures(Wired):
    _agents: Agents
    _records: SystemOfRecord

    async def set(self, actor: Actor, agent_id: UUID, upload: Upload) -> Agent:
        """Set the draft's picture. Raises NotFound, and InvalidInput for a file that is no picture."""
        if len(upload.body) > MAX_UPLOAD_BYTES:
            raise InvalidInput("file", f"This is too large. Send at most {MAX_UPLOAD_BYTES // 1024 // 1024} MB.")
        await self._agents.agent(actor, agent_id)  # checked before the costly work on the bytes
        drawn = await anyio.to_thread.run_sync(square_picture, upload.body)
        return await self._put(actor, agent_id, base64.b64encode(drawn).decode("ascii"))

    async def remove(self, actor: Actor, agent_id: UUID) -> Agent:
        """Remove the draft's picture. Raises NotFound for an absent agent."""
        return await self._put(actor, agent_id, None)

    async def _put(self, actor: Actor, agent_id: UUID, picture: str | None) -> Agent:
        return await self._agents.change_draft(
            actor, agent_id, lambda draft: replace(draft, theme=replace(draft.theme, picture=picture))
        )

    async def published(self, agent_id: UUID, fingerprint: str) -> bytes:
        """The picture that visitors see. Raises NotFound if the live agent has another one by now, or none."""
        live = (await self._agents.live(agent_id)).config.theme
        if live.picture is None or live.picture_fingerprint != fingerprint:
            raise NotFound("picture")
        return base64.b64decode(live.picture)
