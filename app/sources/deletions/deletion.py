"""A receipt for a deletion: what each store contained before, and what it contains now."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated
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
    """The number of rows in each store."""

    documents: int = 0
    versions: int = 0
    chunks: int = 0
    embeddings: Annotated[int, "Cached vectors that nothing else uses."] = 0
    vectors: Annotated[int | None, "Rows of the vector index; null until a worker has counted them."] = None
    keywords: Annotated[int | None, "Entries of the keyword index; null until a worker has counted them."] = None


@dataclass(frozen=True, slots=True)
class Deletion:
    """A deletion and its receipt. `version_ids` are the deleted document versions, until their index rows are known to
    be gone. Of an agent, all rows are deleted, so it has none."""

    id: UUID
    workspace_id: UUID
    agent_id: UUID
    kind: DeletedKind
    subject_id: UUID
    name: Annotated[str, "The address of the page, or the name of the source or agent."]
    state: Annotated[
        DeletionState, "In both states, no answer uses it. verified: it is also gone from the files of every store."
    ]
    before: StoreCounts
    after: StoreCounts
    requested_at: datetime
    verified_at: datetime | None = None
    version_ids: tuple[UUID, ...] = ()
