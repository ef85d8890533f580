"""The picture of an agent: a part of its settings, so that it is published, rolled back and exported with them."""

import base64
from dataclasses import replace
from typing import Final
from uuid import UUID

import anyio.to_thread

from app.agents.agent import Agent
from app.agents.agents import Agents
from app.agents.records.agents import AgentRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.source_file import Upload
from app.providers.pictures.pillow_picture import square_picture
from app.store.system_of_record import SystemOfRecord

MAX_UPLOAD_BYTES: Final = 2 * 1024 * 1024


class AgentPictures:
    def __init__(self, agents: Agents, records: SystemOfRecord) -> None:
        self._agents = agents
        self._records = records

    async def set(self, actor: Actor, agent_id: UUID, upload: Upload) -> Agent:
        """Into the draft, in place of the one before. Raises NotFound, and InvalidInput for what is no picture."""
        if len(upload.body) > MAX_UPLOAD_BYTES:
            raise InvalidInput("file", f"At most {MAX_UPLOAD_BYTES // 1024 // 1024} MB.")
        await self._agents.get(actor, agent_id)  # before its bytes are worked on
        drawn = await anyio.to_thread.run_sync(square_picture, upload.body)
        return await self._put(actor, agent_id, base64.b64encode(drawn).decode("ascii"))

    async def remove(self, actor: Actor, agent_id: UUID) -> Agent:
        """From the draft. Raises NotFound for an absent agent."""
        return await self._put(actor, agent_id, None)

    async def _put(self, actor: Actor, agent_id: UUID, picture: str | None) -> Agent:
        return await self._agents.change_draft(
            actor, agent_id, lambda draft: replace(draft, theme=replace(draft.theme, picture=picture))
        )

    async def published(self, agent_id: UUID, fingerprint: str) -> bytes:
        """What visitors see. Raises NotFound where the live agent has another picture by now, or none."""
        agent = await self._records.of_agent(agent_id).read(lambda tx: AgentRecords(tx).live(agent_id))
        live = agent.config.theme
        if live.picture is None or live.picture_fingerprint != fingerprint:
            raise NotFound("picture")
        return base64.b64decode(live.picture)
