"""What stands before a chunk where it is embedded and keyword-indexed."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class ContextKind(StrEnum):
    STRUCTURAL = "structural"  # one line: site, page, headings
    MODEL = "model"  # that line, and a sentence or two that the chat model wrote about the chunk


@dataclass(frozen=True, slots=True)
class ChunkToSituate:
    """`context` is the structural line; `indexed_context` what stands in its place in the indexes, or None."""

    id: str
    text: str
    context: str
    indexed_context: str | None


@dataclass(frozen=True, slots=True)
class VersionToSituate:
    """A version of a document with its chunks in order."""

    document_id: UUID
    title: str
    chunks: tuple[ChunkToSituate, ...]
