"""A receipt for a deletion: what each store contained before, and what it contains now."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class DeletedKind(StrEnum):
    DOCUMENT = "document"
    SOURCE = "source"
    AGENT = "agent"


class DeletionState(StrEnum):
    """pending -> verified. In both states, no answer uses the deleted content."""

    PENDING = "pending"  # deleted from the system of record; a worker clears the indexes
    VERIFIED = "verified"  # every store was compacted, counted again, and contains none of it


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """Rows by store. `embeddings` counts cached vectors that nothing else needs. `vectors` and `keywords` are rows of
    the two indexes, None until a worker has counted them."""

    documents: int = 0
    versions: int = 0
    chunks: int = 0
    embeddings: int = 0
    vectors: int | None = None
    keywords: int | None = None


@dataclass(frozen=True, slots=True)
class Deletion:
    """`name` is what people knew it by: the page's URL, the source's or agent's name. `version_ids` are the deleted
    document versions, until their index rows are known to be gone; all rows of an agent are deleted, so it has none."""

    id: UUID
    workspace_id: UUID
    agent_id: UUID
    kind: DeletedKind
    subject_id: UUID
    name: str
    state: DeletionState
    before: StoreCounts
    after: StoreCounts
    requested_at: datetime
    verified_at: datetime | None = None
    version_ids: tuple[UUID, ...] = ()
