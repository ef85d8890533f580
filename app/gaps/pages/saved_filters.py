"""Saved filters: one is saved from its list, and renamed or deleted here."""

from pydantic import Field

from app.conversations.saved_filter import MAX_QUERY_CHARS, FilteredList
from app.conversations.saved_filters import SavedFilters
from app.gaps.api.saved_filters import SavedFilterCreate, SavedFilterName, SavedFilterPatch, checked_query
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write


class SaveForm(SavedFilterCreate, Form):
    """`query` is that of the list from which the form was sent."""

    kind: FilteredList = FilteredList.CONVERSATIONS
    name: SavedFilterName = ""
    query: str = Field(default="", max_length=MAX_QUERY_CHARS)
    is_shared: bool = False


class RenameForm(SavedFilterPatch, Form):
    name: SavedFilterName = ""


class SavedFilterPages(Pages):
    _filters: SavedFilters

    @page("/console/saved-filters", access=read, under="conversations")
    async def saved_filters(self, visit: Visit[NoForm]) -> Shown:
        return Shown("gaps/pages/saved_filters.html", {"saved": await self._filters.seen_by(visit.actor)})

    @action("/console/agents/{agent_id}/saved-filters", access=write, shown_on="saved_filters")
    async def create_saved_filter(self, visit: Visit[SaveForm]) -> Go:
        given = visit.input
        query = checked_query(given.kind, given.query)
        await self._filters.create(visit.actor, given.kind, given.name, query, is_shared=given.is_shared)
        return Go(f"{visit.url(given.kind.value)}?{query}", "Filter saved.")

    @action("/console/saved-filters/{filter_id}", access=write, shown_on="saved_filters")
    async def rename_saved_filter(self, visit: Visit[RenameForm]) -> Go:
        await self._filters.rename(visit.actor, visit.path_id("filter_id"), visit.input.name)
        return Go(visit.url("saved_filters"), "Filter renamed.")

    @action("/console/saved-filters/{filter_id}/delete", access=write, shown_on="saved_filters")
    async def delete_saved_filter(self, visit: Visit[NoForm]) -> Go:
        await self._filters.delete(visit.actor, visit.path_id("filter_id"))
        return Go(visit.url("saved_filters"), "Filter deleted.")
