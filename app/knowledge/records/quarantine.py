"""Versions with findings that wait for an operator."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row, func, select, update

from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.knowledge.document import PageReview, QuarantinedPage, Review, ReviewedPassage, VersionState
from app.store.tables.agents import AGENTS
from app.store.tables.knowledge import CHUNKS, DOCUMENT_VERSIONS, DOCUMENTS
from app.store.transaction import Keyset, Repository, value_of

_LATEST_FIRST = Keyset(DOCUMENT_VERSIONS.c.created_at, DOCUMENT_VERSIONS.c.id, descending=True)
_HELD = VersionState.HELD.value
_PAGES = select(
    *(DOCUMENT_VERSIONS.c[name] for name in ("id", "agent_id", "document_id", "state", "title", "findings")),
    DOCUMENT_VERSIONS.c.created_at,
    DOCUMENTS.c.source_id,
    DOCUMENTS.c.url,
).join(DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id)


class QuarantineRecords(Repository):
    def drop_held(self, document_id: UUID) -> None:
        """Retire the document's held version, because the page again has the text of its live version."""
        self._connection.execute(
            update(DOCUMENT_VERSIONS)
            .where(DOCUMENT_VERSIONS.c.document_id == document_id, DOCUMENT_VERSIONS.c.state == _HELD)
            .values(state=VersionState.RETIRED.value, review="")
        )

    def quarantined(self, agent_id: UUID, page: PageRequest) -> ListPage[QuarantinedPage]:
        """Pages with open findings, newest first."""
        statement = _PAGES.where(
            DOCUMENT_VERSIONS.c.agent_id == agent_id, DOCUMENT_VERSIONS.c.review == Review.OPEN.value
        )
        return _LATEST_FIRST.page(self._connection, statement, page, _page)

    def quarantined_count(self, agent_id: UUID) -> int:
        statement = select(func.count()).where(
            DOCUMENT_VERSIONS.c.agent_id == agent_id, DOCUMENT_VERSIONS.c.review == Review.OPEN.value
        )
        return self._connection.scalar(statement) or 0

    def page_reviews(self, workspace_id: UUID, document_id: UUID) -> list[PageReview]:
        """The document's versions with open findings, newest first: at most one that is held and one that is live."""
        statement = (
            _PAGES.join(AGENTS, AGENTS.c.id == DOCUMENT_VERSIONS.c.agent_id)
            .where(
                DOCUMENT_VERSIONS.c.document_id == document_id,
                DOCUMENT_VERSIONS.c.review == Review.OPEN.value,
                AGENTS.c.workspace_id == workspace_id,
            )
            .order_by(DOCUMENT_VERSIONS.c.created_at.desc(), DOCUMENT_VERSIONS.c.id.desc())
        )
        versions = self._connection.execute(statement).all()
        return [PageReview(version.agent_id, _page(version), self._passages(version.id)) for version in versions]

    def _passages(self, version_id: UUID) -> tuple[ReviewedPassage, ...]:
        columns = select(CHUNKS.c.breadcrumb, CHUNKS.c.text)
        rows = self._connection.execute(columns.where(CHUNKS.c.version_id == version_id).order_by(CHUNKS.c.position))
        return tuple(ReviewedPassage(tuple(breadcrumb), text) for breadcrumb, text in rows)

    def review(self, workspace_id: UUID, document_id: UUID, verdict: Review) -> UUID:
        """Close the open findings of the document's live and held versions. RELEASED makes a held version pending;
        DISMISSED leaves it held, and a live one live. Returns the agent's id. Raises NotFound if none are open."""
        found = (
            select(DOCUMENT_VERSIONS.c.id, DOCUMENT_VERSIONS.c.agent_id, DOCUMENT_VERSIONS.c.state)
            .join(AGENTS, AGENTS.c.id == DOCUMENT_VERSIONS.c.agent_id)
            .where(
                DOCUMENT_VERSIONS.c.document_id == document_id,
                DOCUMENT_VERSIONS.c.review == Review.OPEN.value,
                AGENTS.c.workspace_id == workspace_id,
            )
            .with_for_update(of=DOCUMENT_VERSIONS)
        )
        versions = self._connection.execute(found).all()
        if not versions:
            raise NotFound("page with open findings")
        for version_id, _, state in versions:
            is_to_go_live = verdict is Review.RELEASED and state == _HELD
            self._connection.execute(
                update(DOCUMENT_VERSIONS)
                .where(DOCUMENT_VERSIONS.c.id == version_id)
                .values(review=verdict.value, state=VersionState.PENDING.value if is_to_go_live else state)
            )
        agent_id: UUID = versions[0].agent_id
        return agent_id


def _page(row: Row[*tuple[Any, ...]]) -> QuarantinedPage:
    return value_of(QuarantinedPage, row, is_held=row.state == _HELD, found_at=row.created_at)
