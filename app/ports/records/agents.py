"""Port: agents and their published versions."""

from typing import Protocol
from uuid import UUID

from app.domain.agent import Agent, AgentConfig, AgentVersion, LiveAgent
from app.domain.list_page import ListPage, PageRequest


class AgentRecords(Protocol):
    """A foreign agent is an absent one: every method that takes a workspace raises NotFound for both."""

    async def create(self, workspace_id: UUID, config: AgentConfig) -> Agent: ...

    async def get(self, workspace_id: UUID, agent_id: UUID) -> Agent: ...

    async def page(self, workspace_id: UUID, page: PageRequest) -> ListPage[Agent]:
        """Oldest first."""
        ...

    async def save_draft(self, workspace_id: UUID, agent_id: UUID, config: AgentConfig) -> Agent: ...

    async def publish(self, workspace_id: UUID, agent_id: UUID) -> AgentVersion:
        """Freeze the draft as the next version and make it live. A draft equal to the live version publishes
        nothing and returns that version."""
        ...

    async def versions(self, workspace_id: UUID, agent_id: UUID) -> list[AgentVersion]:
        """Newest first."""
        ...

    async def delete(self, workspace_id: UUID, agent_id: UUID) -> None:
        """Remove the agent and all that hangs on it."""
        ...

    async def live(self, agent_id: UUID) -> LiveAgent:
        """What visitors get. Raises NotFound for an agent that is absent or was never published."""
        ...

    async def exists(self, agent_id: UUID) -> bool: ...

    async def bump_generation(self, agent_id: UUID) -> int:
        """What the agent may answer from has changed; return the new generation."""
        ...
