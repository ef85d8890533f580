"""Admin API: saved filters of the lists of conversations and gaps. It is in the topmost room with such a list."""

from typing import Annotated, Final

from pydantic import Field, ValidationError

from app.conversations.api.conversations import TAG
from app.conversations.inbox import check_filter
from app.conversations.pages.conversations import InboxWanted
from app.conversations.saved_filter import MAX_QUERY_CHARS, FilteredList, SavedFilter
from app.conversations.saved_filters import MAX_FILTERS, SavedFilters
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.setting import limits_of
from app.gaps.pages.gaps import GapsWanted
from app.web.console.forms import form_of, parse_fields
from app.web.errors import Refusal
from app.web.operation import Api, Call, Model, delete, example, get, items_of, patch, post, read, write

_QUERY: Final = 'The query of the list\'s address in the console, such as "outcome=unanswered&label=shipping".'


SavedFilterName = Annotated[str, Field(min_length=1, max_length=limits_of(SavedFilter)["name"].most)]


@example(kind="conversations", name="Shipping, unanswered", query="outcome=unanswered&label=shipping")
class SavedFilterCreate(Model):
    kind: FilteredList
    name: SavedFilterName
    query: str = Field(max_length=MAX_QUERY_CHARS, description=f"{_QUERY} A visitor is not saved.")
    is_shared: Annotated[
        bool, "Shares the filter with all operators of the workspace. API tokens can only save shared ones."
    ] = True


@example(name="Shipping")
class SavedFilterPatch(Model):
    name: SavedFilterName


class SavedFilterOut(Model, shows=SavedFilter, fields="id kind name query is_shared"):
    query: str = Field(description=_QUERY)


class SavedFiltersOut(Model, adds=items_of(SavedFilterOut)): ...


class AdminSavedFilters(Api):
    tag = TAG
    _filters: SavedFilters

    @get(
        "/v1/saved-filters",
        f"List saved filters of conversations and gaps, by name; at most {MAX_FILTERS}",
        access=read,
    )
    async def list_saved_filters(self, call: Call[Actor, None]) -> SavedFiltersOut:
        return SavedFiltersOut.showing(items=await self._filters.seen_by(call.caller))

    @post("/v1/saved-filters", "Save a filter under a name", access=write, status=201)
    async def create_saved_filter(self, call: Call[Actor, SavedFilterCreate]) -> SavedFilterOut:
        given = call.input
        query = checked_query(given.kind, given.query)
        saved = await self._filters.create(call.caller, given.kind, given.name, query, is_shared=given.is_shared)
        return SavedFilterOut.showing(saved)

    @patch("/v1/saved-filters/{filter_id}", "Rename a saved filter", access=write)
    async def rename_saved_filter(self, call: Call[Actor, SavedFilterPatch]) -> SavedFilterOut:
        return SavedFilterOut.showing(
            await self._filters.rename(call.caller, call.path_id("filter_id"), call.input.name)
        )

    @delete("/v1/saved-filters/{filter_id}", "Delete a saved filter", access=write)
    async def delete_saved_filter(self, call: Call[Actor, None]) -> None:
        await self._filters.delete(call.caller, call.path_id("filter_id"))


def checked_query(kind: FilteredList, query: str) -> str:
    """Only with what narrows the list, in a fixed order. Raises InvalidInput."""
    try:
        fields = parse_fields(query)
        if kind is FilteredList.GAPS:
            kept = form_of(GapsWanted, fields).to_save
        else:
            wanted = form_of(InboxWanted, fields)
            check_filter(wanted.only)
            kept = wanted.to_save
    except (ValidationError, Refusal, InvalidInput):
        raise InvalidInput("query", f"The list of {kind} has no such filter.") from None
    if not kept:
        raise InvalidInput("query", "Set at least one filter first: this is the whole list.")
    return kept
