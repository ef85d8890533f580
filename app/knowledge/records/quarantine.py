"""Versions with findings that wait for an operator's eye."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row, func, select, update

from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.knowledge.document import QuarantinedPage, Review, VersionState
from app.knowledge.page_review import PageReview, ReviewedPassage
from app.store.codec import value_of
from app.store.keyset import Keyset
from app.store.models import AgentRow, ChunkRow, DocumentRow, DocumentVersionRow
from app.store.transaction import Repository
from app.store.url_key import url_key

_LATEST_FIRST = Keyset(DocumentVersionRow.created_at, DocumentVersionRow.id, descending=True)
_HELD = VersionState.HELD.value
_PAGES = (
    select(DocumentVersionRow)
    .add_columns(DocumentRow.source_id, DocumentRow.url)
    .join(DocumentRow, DocumentRow.id == DocumentVersionRow.document_id)
)


class QuarantineRecords(Repository):
    def held_hash(self, source_id: UUID, url: str) -> str | None:
        """Content hash of the URL's held version, or None."""
        return self._connection.scalar(
            select(DocumentVersionRow.content_hash)
            .join(DocumentRow, DocumentRow.id == DocumentVersionRow.document_id)
            .where(
                DocumentRow.source_id == source_id,
                DocumentRow.url_key == url_key(url),
                DocumentVersionRow.state == _HELD,
            )
        )

    def drop_held(self, document_id: UUID) -> None:
        """The page says again what its live version says: what was held is retired."""
        self._connection.execute(
            update(DocumentVersionRow)
            .where(DocumentVersionRow.document_id == document_id, DocumentVersionRow.state == _HELD)
            .values(state=VersionState.RETIRED.value, review="")
        )

    def quarantined(self, agent_id: UUID, page: PageRequest) -> ListPage[QuarantinedPage]:
        """Pages with open findings, latest first."""
        statement = _PAGES.where(
            DocumentVersionRow.agent_id == agent_id, DocumentVersionRow.review == Review.OPEN.value
        )
        return _LATEST_FIRST.page(self._connection, statement, page, _page)

    def quarantined_count(self, agent_id: UUID) -> int:
        """How many `quarantined` lists."""
        statement = select(func.count()).where(
            DocumentVersionRow.agent_id == agent_id, DocumentVersionRow.review == Review.OPEN.value
        )
        return self._connection.scalar(statement) or 0

    def page_reviews(self, workspace_id: UUID, document_id: UUID) -> list[PageReview]:
        """The document's versions with open findings, latest first: at most one that is held and one that is live."""
        statement = (
            _PAGES.join(AgentRow, AgentRow.id == DocumentVersionRow.agent_id)
            .where(
                DocumentVersionRow.document_id == document_id,
                DocumentVersionRow.review == Review.OPEN.value,
                AgentRow.workspace_id == workspace_id,
            )
            .order_by(DocumentVersionRow.created_at.desc(), DocumentVersionRow.id.desc())
        )
        versions = self._connection.execute(statement).all()
        return [PageReview(version.agent_id, _page(version), self._passages(version.id)) for version in versions]

    def _passages(self, version_id: UUID) -> tuple[ReviewedPassage, ...]:
        columns = select(ChunkRow.breadcrumb, ChunkRow.text)
        rows = self._connection.execute(columns.where(ChunkRow.version_id == version_id).order_by(ChunkRow.position))
        return tuple(ReviewedPassage(tuple(breadcrumb), text) for breadcrumb, text in rows)

    def review(self, workspace_id: UUID, document_id: UUID, verdict: Review) -> UUID:
        """Close the document's open findings, those of a live version and of one that is held. RELEASED makes a held
        version pending; DISMISSED leaves it held, and a live one live. Return the agent's id. Raises NotFound where
        none are open."""
        found = (
            select(DocumentVersionRow.id, DocumentVersionRow.agent_id, DocumentVersionRow.state)
            .join(AgentRow, AgentRow.id == DocumentVersionRow.agent_id)
            .where(
                DocumentVersionRow.document_id == document_id,
                DocumentVersionRow.review == Review.OPEN.value,
                AgentRow.workspace_id == workspace_id,
            )
            .with_for_update(of=DocumentVersionRow)
        )
        versions = self._connection.execute(found).all()
        if not versions:
            raise NotFound("page with open findings")
        for version_id, _, state in versions:
            is_to_go_live = verdict is Review.RELEASED and state == _HELD
            self._connection.execute(
                update(DocumentVersionRow)
                .where(DocumentVersionRow.id == version_id)
                .values(review=verdict.value, state=VersionState.PENDING.value if is_to_go_live else state)
            )
        agent_id: UUID = versions[0].agent_id
        return agent_id


def _page(row: Row[Any]) -> QuarantinedPage:
    return value_of(QuarantinedPage, row, is_held=row.state == _HELD, found_at=row.created_at)
