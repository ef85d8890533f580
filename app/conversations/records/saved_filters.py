"""Filters of lists that operators saved."""

from uuid import UUID

from sqlalchemy import ColumnElement, String, func, or_, select

from app.conversations.saved_filter import SavedFilter
from app.store.schema import Audited, StorableText, column, own_id, parent, table
from app.store.transaction import Repository

# Filters that an operator saved for themselves, or (NULL) for the whole workspace.
SAVED_FILTERS = table(
    "saved_filters",
    Audited("saved_filter", lambda row: str(row.name)),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    parent("operator_id", "operators", index=True, nullable=True),
    column("kind", String(20)),
    column("name", StorableText),
    column("query", StorableText),
)


class SavedFilterRecords(Repository):
    """`operator_id` is the viewer, None for an API token. Viewers see their own filters and shared ones."""

    def seen_by(self, workspace_id: UUID, operator_id: UUID | None) -> list[SavedFilter]:
        """The filters that the viewer can see, by name."""
        statement = select(SAVED_FILTERS).where(*_seen_by(workspace_id, operator_id))
        return self._values(SavedFilter, statement.order_by(func.lower(SAVED_FILTERS.c.name), SAVED_FILTERS.c.id))

    def saved_filter(self, workspace_id: UUID, operator_id: UUID | None, filter_id: UUID) -> SavedFilter:
        """Raises NotFound, also for another workspace's or operator's."""
        statement = select(SAVED_FILTERS).where(*_seen_by(workspace_id, operator_id), SAVED_FILTERS.c.id == filter_id)
        return self._found(SavedFilter, statement, "saved filter")

    def add(self, saved: SavedFilter) -> None:
        self._add(SAVED_FILTERS, saved)

    def rename(self, filter_id: UUID, name: str) -> None:
        self._update(SAVED_FILTERS, SAVED_FILTERS.c.id == filter_id, name=name)

    def delete(self, workspace_id: UUID, operator_id: UUID | None, filter_id: UUID) -> None:
        """Raises NotFound, like `saved_filter`."""
        wanted = SAVED_FILTERS.c.id == filter_id
        for condition in _seen_by(workspace_id, operator_id):
            wanted &= condition
        self._delete_one(SAVED_FILTERS, "saved filter", wanted)


def _seen_by(workspace_id: UUID, operator_id: UUID | None) -> list[ColumnElement[bool]]:
    is_theirs = or_(SAVED_FILTERS.c.operator_id.is_(None), SAVED_FILTERS.c.operator_id == operator_id)
    return [SAVED_FILTERS.c.workspace_id == workspace_id, is_theirs]
