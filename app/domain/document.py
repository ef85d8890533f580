"""A document is one page of a source; each change of its content is a new version."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID


class VersionState(StrEnum):
    """pending -> live -> retired. Searches see live versions only."""

    PENDING = "pending"
    LIVE = "live"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class SectionHeading:
    """One heading of a page's Markdown, in document order. A question's section is a chunk of its own."""

    level: int
    text: str
    anchor: str | None = None
    is_question: bool = False


@dataclass(frozen=True, slots=True)
class PageContent:
    """One page as it comes to be learnt: clean Markdown and what is known about it."""

    url: str
    title: str
    markdown: str
    headings: tuple[SectionHeading, ...] = ()
    description: str = ""
    language: str | None = None
    site: str = ""  # host, or the source's name
    published: date | None = None
    modified: date | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A page that an agent has learnt from."""

    id: UUID
    agent_id: UUID
    source_id: UUID
    url: str
    title: str
    language: str | None
    as_of: date
    chunk_count: int
    updated_at: datetime


class IngestOutcome(StrEnum):
    """What reading a page changed."""

    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"  # another document of the agent has the same content
    EMPTY = "empty"  # nothing to learn from


@dataclass(frozen=True, slots=True)
class IngestReceipt:
    """What one ingest did. `embedded` counts chunks that the embedder had to be asked for; `note` says in words what
    could not be done for the page, "" usually."""

    outcome: IngestOutcome
    document_id: UUID | None = None
    chunks: int = 0
    embedded: int = 0
    note: str = ""
