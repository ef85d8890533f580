"""A question with the pages that a search must find for it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from app.domain.page_url import page_key


class GoldenOrigin(StrEnum):
    """Where a golden question came from."""

    WRITTEN = "written"
    IMPORTED = "imported"
    CONVERSATION = "conversation"  # a visitor asked it


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """`pages` are URLs, any of which answers it; none: the website does not answer it, and the agent should say so.
    `language` is a BCP 47 primary subtag, None for the agent's own."""

    id: UUID
    agent_id: UUID
    question: str
    pages: tuple[str, ...] = ()
    language: str | None = None
    origin: GoldenOrigin = GoldenOrigin.WRITTEN
    created_at: datetime | None = None  # set by the store

    @property
    def page_keys(self) -> tuple[str, ...]:
        """The pages as they are compared, each once."""
        return tuple(dict.fromkeys(page_key(page) for page in self.pages))
