"""A document is one page of a source, and each change of its content a new version. If a version is held because of
findings, an operator judges them, each with the passage that contains it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.knowledge.injection_scan import Finding, FindingKind


class VersionState(StrEnum):
    """pending -> live -> retired; a held version waits for an operator before it becomes pending. Searches only see
    live versions."""

    HELD = "held"
    PENDING = "pending"
    LIVE = "live"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class SectionHeading:
    """A heading of a page's Markdown. The section below one that `is_question` becomes a chunk of its own."""

    level: int
    text: str
    anchor: str | None = None
    is_question: bool = False


@dataclass(frozen=True, slots=True)
class PageContent:
    """A page to be learnt: clean Markdown and its metadata."""

    url: str
    title: str
    markdown: str
    headings: tuple[SectionHeading, ...] = ()
    description: str = ""
    language: str | None = None
    site: str = ""  # host, or the source's name
    published: date | None = None
    modified: date | None = None
    hidden_text: str = ""  # invisible to readers: never learnt, only checked
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # set by the operator, to filter by


@dataclass(frozen=True, slots=True)
class LivePage:
    """A live version, and its page as it was when it was chunked; `page.headings` is empty if they were not stored.
    `left_out` are the keys of sections that were not chunked."""

    version_id: UUID
    agent_id: UUID
    document_id: UUID
    content_hash: str
    page: PageContent
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepeatedText:
    """A section that many `pages` of a source have word for word, and that is not indexed: "Still have questions?".
    `key` is the section's, `text` its beginning."""

    key: str
    heading: str
    text: str
    pages: int


@dataclass(frozen=True, slots=True)
class Document:
    """A page that an agent has learnt from."""

    id: UUID
    agent_id: UUID
    source_id: UUID
    url: str
    title: str
    language: str | None
    as_of: Annotated[date, "The date of the latest reading that found this content."]
    chunk_count: int
    updated_at: datetime
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Review(StrEnum):
    """The state of a version with findings: one that is `dismissed` was looked at and is no longer listed."""

    NONE = ""
    OPEN = "open"
    RELEASED = "released"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class QuarantinedPage:
    """A page with findings that no operator has looked at."""

    document_id: UUID
    source_id: UUID
    url: str
    title: str
    findings: tuple[Finding, ...]
    is_held: Annotated[bool, "True: the new text is held, and no answer uses it. False: it is live, and listed."]
    found_at: datetime


class IngestOutcome(StrEnum):
    """The change that reading a page made."""

    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"  # another document of the agent has the same content
    EMPTY = "empty"  # nothing to learn from
    HELD = "held"  # an operator has to look at it first


@dataclass(frozen=True, slots=True)
class IngestReceipt:
    """The result of one ingest. `embedded` counts the chunks that had to be embedded; `note` says what could not be
    done for the page, usually ""."""

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
    """A version whose index rows are not complete yet."""

    id: UUID
    agent_id: UUID
    document_id: UUID
    state: VersionState


_RUN_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class ReviewedPassage:
    """A passage of a version that may not be live. `breadcrumb` has the headings from the page's top down to it."""

    breadcrumb: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PageReview:
    """One version of a page with open findings, and all its passages in order."""

    agent_id: UUID
    page: QuarantinedPage
    passages: tuple[ReviewedPassage, ...]

    def passage_of(self, finding: Finding) -> ReviewedPassage | None:
        """The passage that contains the finding; None if there is none, as for hidden text."""
        if finding.kind is FindingKind.HIDDEN_INSTRUCTIONS:
            return None
        sought = _runs(finding.excerpt)
        shared = [len(sought & _runs(passage.text)) for passage in self.passages]
        most = max(shared, default=0)
        return self.passages[shared.index(most)] if most else None

    def by_passage(self) -> list[tuple[ReviewedPassage | None, list[Finding]]]:
        """Each passage with findings, in the page's order; then findings outside of any passage."""
        placed = [(self.passage_of(finding), finding) for finding in self.page.findings]
        passages = [passage for passage in (*self.passages, None) if any(passage is at for at, _ in placed)]
        return [(passage, [finding for at, finding in placed if at is passage]) for passage in passages]


def _runs(text: str) -> set[Sequence[str]]:
    """The runs of three words of a text, or the whole text if it has fewer. Runs are compared, because an excerpt is
    truncated at both ends, may begin in the passage before, and contains no code."""
    words = text.split()
    return {tuple(words[start : start + _RUN_WORDS]) for start in range(max(1, len(words) - _RUN_WORDS + 1))}
