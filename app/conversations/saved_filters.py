"""Saved filters: operators save them for themselves or for all, and use them again."""

from typing import Final
from uuid import UUID, uuid4

from app.conversations.records.saved_filters import SavedFilterRecords
from app.conversations.saved_filter import FilteredList, SavedFilter
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.setting import limits_of
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

MAX_FILTERS: Final = 100  # visible to one operator

changes_of(
    "saved_filter",
    "Saved filter",
    "Saved filters",
    {"create": "Filter saved", "edit": "Saved filter renamed", "delete": "Saved filter deleted"},
)


class SavedFilters(Wired):
    """An actor sees their own and those of the whole workspace; others are not found."""

    _records: SystemOfRecord

    @reads
    def seen_by(self, tx: Transaction, actor: Actor) -> list[SavedFilter]:
        """By name, for every list."""
        return SavedFilterRecords(tx).seen_by(actor.workspace_id, actor.operator_id)

    async def of_list(self, actor: Actor, kind: FilteredList) -> list[SavedFilter]:
        return [each for each in await self.seen_by(actor) if each.kind is kind]

    @writes
    def create(
        self, tx: Transaction, actor: Actor, kind: FilteredList, name: str, query: str, *, is_shared: bool
    ) -> SavedFilter:
        """`query` belongs to that list. Raises InvalidInput."""
        limits_of(SavedFilter)["name"].check("name", name)
        me = actor.operator_id
        if me is None and not is_shared:
            raise InvalidInput("is_shared", "An API token cannot have private filters. Share it with all operators.")
        records = SavedFilterRecords(tx)
        if len(records.seen_by(actor.workspace_id, me)) >= MAX_FILTERS:
            raise InvalidInput("", f"You can have at most {MAX_FILTERS} saved filters. Remove some first.")
        saved = SavedFilter(uuid4(), actor.workspace_id, None if is_shared else me, kind, name.strip(), query)
        records.add(saved)
        AuditRecords(tx).acted(actor, "saved_filter.create", saved.id)
        return saved

    @writes
    def rename(self, tx: Transaction, actor: Actor, filter_id: UUID, name: str) -> SavedFilter:
        """Raises InvalidInput."""
        limits_of(SavedFilter)["name"].check("name", name)
        records, me = SavedFilterRecords(tx), actor.operator_id
        records.saved_filter(actor.workspace_id, me, filter_id)
        records.rename(filter_id, name.strip())
        AuditRecords(tx).acted(actor, "saved_filter.edit", filter_id)
        return records.saved_filter(actor.workspace_id, me, filter_id)

    @writes
    def delete(self, tx: Transaction, actor: Actor, filter_id: UUID) -> None:
        SavedFilterRecords(tx).delete(actor.workspace_id, actor.operator_id, filter_id)
        AuditRecords(tx).acted(actor, "saved_filter.delete", filter_id)
