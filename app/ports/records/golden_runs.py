"""Port: golden questions asked, and what came of it."""

from typing import Protocol
from uuid import UUID

from app.domain.golden_run import GoldenRun
from app.ports.records.page import ListPage, PageRequest


class GoldenRunRecords(Protocol):
    """The caller has checked the workspace."""

    async def add(self, run: GoldenRun, keep: int) -> None:
        """Of the agent's runs the latest `keep` stay."""
        ...

    async def page(self, agent_id: UUID, page: PageRequest) -> ListPage[GoldenRun]:
        """Latest first."""
        ...

    async def get(self, agent_id: UUID, run_id: UUID) -> GoldenRun:
        """Raises NotFound."""
        ...

    async def latest(self, agent_id: UUID, fingerprint: str) -> GoldenRun | None: ...
