"""What pages said before they changed, until somebody has looked which answers rest on that."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import and_, literal, select

from app.knowledge.document import VersionState
from app.store.tables.documents import DOCUMENT_VERSIONS, DOCUMENTS, PAGE_CHANGES
from app.store.transaction import Repository

_IS_LIVE = DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value


class PageChangeRecords(Repository):
    """What came as passages has no text of its own and is not followed."""

    def remember(self, document_ids: Sequence[UUID], next_version: UUID | None = None) -> None:
        """What the documents' live versions say, before `next_version` of the one document, or nothing, takes their
        place. Where it says the same, nothing is kept; where a change waits already, its older text stays."""
        columns = (
            DOCUMENTS.c.id,
            DOCUMENTS.c.agent_id,
            DOCUMENTS.c.source_id,
            DOCUMENTS.c.url,
            DOCUMENT_VERSIONS.c.title,
            DOCUMENT_VERSIONS.c.markdown,
            literal(self._now(), PAGE_CHANGES.c.changed_at.type),
        )
        live = (
            select(*columns)
            .join(DOCUMENT_VERSIONS, and_(DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id, _IS_LIVE))
            .where(DOCUMENTS.c.id.in_(document_ids), DOCUMENT_VERSIONS.c.markdown != "")
        )
        if next_version is not None:
            coming = DOCUMENT_VERSIONS.alias()
            says = select(coming.c.markdown).where(coming.c.id == next_version).scalar_subquery()
            live = live.where(DOCUMENT_VERSIONS.c.markdown != says)
        kept = self._insert(PAGE_CHANGES).from_select([column.name for column in PAGE_CHANGES.columns], live)
        again = kept.on_conflict_do_update(
            index_elements=["document_id"], set_={"changed_at": kept.excluded.changed_at}
        )
        self._connection.execute(again)
