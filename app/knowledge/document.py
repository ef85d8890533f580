"""A document is one page of a source; each change of its content is a new version."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from app.knowledge.injection_scan import Finding


class VersionState(StrEnum):
    """pending -> live -> retired; one that is held waits for an operator before it is pending. Searches see live
    versions only."""

    HELD = "held"
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
    hidden_text: str = ""  # that readers do not see: never learnt, only looked at
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of the operator's own, to filter by


@dataclass(frozen=True, slots=True)
class LivePage:
    """A live version, and the page as it was cut; `page.headings` is empty where they were not kept."""

    version_id: UUID
    agent_id: UUID
    document_id: UUID
    content_hash: str
    page: PageContent


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
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Review(StrEnum):
    """Where a version with findings stands: `dismissed` was looked at and is listed no more."""

    NONE = ""
    OPEN = "open"
    RELEASED = "released"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class QuarantinedPage:
    """A page with findings that no operator has looked at. While `is_held` its new text is not answered from."""

    document_id: UUID
    source_id: UUID
    url: str
    title: str
    findings: tuple[Finding, ...]
    is_held: bool
    found_at: datetime


class IngestOutcome(StrEnum):
    """What reading a page changed."""

    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"  # another document of the agent has the same content
    EMPTY = "empty"  # nothing to learn from
    HELD = "held"  # an operator has to look at it first


@dataclass(frozen=True, slots=True)
class IngestReceipt:
    """What one ingest did. `embedded` counts chunks that the embedder had to be asked for; `note` says in words what
    could not be done for the page, "" usually."""

    outcome: IngestOutcome
    document_id: UUID | None = None
    chunks: int = 0
    embedded: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class PageTexts:
    """A live document and the texts of its chunks, in order, without their context lines."""

    document_id: UUID
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PendingVersion:
    """A version that waits for its index rows."""

    id: UUID
    agent_id: UUID
    document_id: UUID
    state: VersionState
