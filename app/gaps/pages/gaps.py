"""The console's list of an agent's gaps, greatest impact first."""

from datetime import datetime, timedelta
from enum import IntEnum
from typing import Annotated, Literal
from urllib.parse import urlencode
from uuid import UUID

from starlette.responses import Response

from app.conversations.saved_filter import FilteredList
from app.conversations.saved_filters import SavedFilters
from app.core.turn import GapState
from app.gaps.api.gaps import gaps_file
from app.gaps.gap import GapFilter, GapOrder
from app.gaps.gap_replays import GapReplays
from app.gaps.gaps import CHOSEN, NOTE, Gaps, GapTriage, open_gaps
from app.web.console.filters import number, plural
from app.web.console.page import Form, Go, MenuEntry, Pages, Shown, UndoWanted, Visit, action, page, read, write

_SHOWN = 50


class Span(IntEnum):
    """Days up to now."""

    WEEK = 7
    MONTH = 30
    QUARTER = 90


class GapsWanted(UndoWanted, takes=GapFilter, fields="state reason text"):
    """What is undone was ignored with `undo_note`."""

    state: GapState = GapState.OPEN
    days: Span | None = None
    sort: GapOrder = GapOrder.IMPACT
    undo_note: Annotated[str, NOTE] = ""

    def only(self, now: datetime) -> GapFilter:
        since = now - timedelta(days=self.days) if self.days else None
        return self.made(GapFilter, since=since)

    @property
    def to_save(self) -> str:
        """The filters worth saving, as a query."""
        return urlencode(self.kept)


class ExportWanted(GapsWanted):
    format: Literal["csv", "json"] = "csv"


class ManyGaps(Form):
    """`state` is that of their list."""

    state: Literal["open", "proposed"] = "open"
    gap_ids: Annotated[tuple[UUID, ...], CHOSEN] = ()
    note: Annotated[str, NOTE] = ""


class GapsPages(Pages):
    _gaps: Gaps
    _triage: GapTriage
    _replays: GapReplays
    _filters: SavedFilters

    @page(
        "/console/agents/{agent_id}/gaps",
        access=read,
        menu=MenuEntry("Gaps", "Work", 2, "gap"),
        waiting=open_gaps,
    )
    async def gaps(self, visit: Visit[GapsWanted]) -> Shown:
        wanted = visit.input
        only = wanted.only(visit.now)
        page = await self._gaps.gaps(visit.actor, visit.agent.id, wanted.state, wanted.part(_SHOWN), only, wanted.sort)
        counts = await self._gaps.counts(visit.actor, visit.agent.id, only)
        kept = {
            "state": wanted.state.value,
            "text": only.text,
            "reason": only.reason,
            "days": wanted.days and wanted.days.value,
            "sort": wanted.sort.value,
        }
        return Shown(
            "gaps/pages/gaps.html",
            {
                "page": page,
                "wanted": wanted,
                "kept": kept,
                "saved": await self._filters.of_list(visit.actor, FilteredList.GAPS),
                "to_save": wanted.to_save,
                "tabs": [
                    (
                        label,
                        visit.url("gaps", {**kept, "state": state.value}),
                        state is wanted.state,
                        number(counts.get(state, 0)),
                    )
                    for state, label in _TABS
                ],
                "spans": [
                    (label, visit.url("gaps", {**kept, "days": days and days.value}), days is wanted.days)
                    for days, label in _SPANS
                ],
                "orders": [
                    (label, visit.url("gaps", {**kept, "sort": order.value}), order is wanted.sort)
                    for order, label in _ORDERS
                ],
            },
        )

    @page("/console/agents/{agent_id}/gaps/export", access=read, under="gaps", is_file=True)
    async def export_gaps(self, visit: Visit[ExportWanted]) -> Response:
        wanted = visit.input
        gaps = await self._gaps.all_of_agent(visit.actor, visit.agent.id, wanted.state, wanted.only(visit.now))
        return gaps_file(gaps, wanted.format)

    @action("/console/agents/{agent_id}/gaps/ignore", access=write, shown_on="gaps")
    async def ignore_gaps(self, visit: Visit[ManyGaps]) -> Go:
        given = visit.input
        ignored = await self._triage.settle(visit.actor, visit.agent.id, given.gap_ids, GapState.IGNORED, given.note)
        undone = urlencode([("undo", str(gap.id)) for gap in ignored])
        to = visit.url("gaps", {"state": given.state, "undo_note": given.note})
        return Go(f"{to}&{undone}", f"{len(ignored)} ignored.")

    @action("/console/agents/{agent_id}/gaps/prove", access=write, shown_on="gaps")
    async def prove_gaps(self, visit: Visit[ManyGaps]) -> Go:
        given = visit.input
        closed, left = await self._replays.resolve_many(visit.actor, visit.agent.id, given.gap_ids)
        still = f" {plural(len(left), 'gap is', 'gaps are')} still not answered." if left else ""
        return Go(visit.url("gaps", {"state": given.state}), f"{plural(len(closed), 'gap')} closed with proof.{still}")

    @action("/console/agents/{agent_id}/gaps/take-back", access=write, shown_on="gaps")
    async def take_back_gaps(self, visit: Visit[ManyGaps]) -> Go:
        given, state = visit.input, GapState(visit.input.state)
        back = await self._triage.take_back(visit.actor, visit.agent.id, given.gap_ids, state, given.note)
        return Go(visit.url("gaps", {"state": given.state}), f"{len(back)} restored.")


_TABS = (
    (GapState.OPEN, "Open"),
    (GapState.PROPOSED, "Proposed to close"),
    (GapState.ANSWERED, "Answered"),
    (GapState.RESOLVED, "Closed without proof"),
    (GapState.IGNORED, "Ignored"),
)
_SPANS = ((None, "Any time"), *((span, f"{span} days") for span in Span))
_ORDERS = ((GapOrder.IMPACT, "Impact"), (GapOrder.ASKED, "Most asked"), (GapOrder.LATEST, "Latest"))
