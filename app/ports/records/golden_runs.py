"""Port: golden questions asked, and what came of it."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.golden_run import GoldenRun
from app.domain.list_page import ListPage, PageRequest


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

    async def take(self, now: datetime, until: datetime) -> tuple[UUID, GoldenRun] | None:
        """A run of any agent that goes on by `now`, the oldest, with its workspace; for others it goes on at `until`.
        None where none does."""
        ...

    async def save(self, run: GoldenRun) -> bool:
        """What came of it by now; False for a run that is there no more."""
        ...

    async def latest(self, agent_id: UUID, fingerprint: str) -> GoldenRun | None: ...
