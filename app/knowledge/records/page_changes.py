"""The earlier texts of changed pages, until the answers that rest on them have been checked."""

from collections.abc import Sequence
from functools import cache
from uuid import UUID

from sqlalchemy import Insert, and_, bindparam, select

from app.knowledge.document import VersionState
from app.store.tables.knowledge import DOCUMENT_VERSIONS, DOCUMENTS, PAGE_CHANGES
from app.store.transaction import Repository, among, insert_of

_LIVE_TEXTS = (
    select(
        DOCUMENTS.c.id,
        DOCUMENTS.c.agent_id,
        DOCUMENTS.c.source_id,
        DOCUMENTS.c.url,
        DOCUMENT_VERSIONS.c.title,
        DOCUMENT_VERSIONS.c.markdown,
        bindparam("now", type_=PAGE_CHANGES.c.changed_at.type),
    )
    .join(
        DOCUMENT_VERSIONS,
        and_(DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id, DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value),
    )
    .where(DOCUMENTS.c.id.in_(among("documents")), DOCUMENT_VERSIONS.c.markdown != "")
)


class PageChangeRecords(Repository):
    """Pages that came as passages have no full text and are not followed."""

    def remember(self, document_ids: Sequence[UUID], next_versions: Sequence[UUID] = ()) -> None:
        """Store the text of the documents' live versions before `next_versions` (at most one per document) replace
        them. Stores nothing if the text is the same; if a change is waiting already, its older text stays."""
        told = {"documents": document_ids, "now": self._now()}
        if next_versions:
            told |= {"next_versions": next_versions}
        self._connection.execute(_remembered(self._dialect, has_next=bool(next_versions)), told)


@cache
def _remembered(dialect: str, *, has_next: bool) -> Insert:
    texts = _LIVE_TEXTS
    if has_next:
        coming = DOCUMENT_VERSIONS.alias()
        is_next = and_(coming.c.document_id == DOCUMENTS.c.id, coming.c.id.in_(among("next_versions")))
        texts = texts.where(DOCUMENT_VERSIONS.c.markdown != select(coming.c.markdown).where(is_next).scalar_subquery())
    kept = insert_of(dialect, PAGE_CHANGES).from_select([column.name for column in PAGE_CHANGES.columns], texts)
    return kept.on_conflict_do_update(index_elements=["document_id"], set_={"changed_at": kept.excluded.changed_at})
