"""A tenant of the installation: it owns agents, operators and API tokens, and sees no other."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Workspace:
    id: UUID
    name: str
    created_at: datetime
