"""Admin API: gaps, page by page or all as one file, and answers to them that the chat model drafts."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Final
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from app.answers.suggestion import SuggestionState
from app.core.actor import Actor
from app.core.gap_state import GapReason, GapState
from app.core.spreadsheet_cell import as_cell
from app.gaps.gap import Gap, GapFilter, GapOrder
from app.gaps.gap_suggestions import GapSuggestions
from app.gaps.gaps import MAX_EXPORTED, MAX_NOTE_CHARS, Gaps
from app.web.file_export import ExportFormat, csv_table, exported
from app.web.operation import Api, Call, ListOut, ListQuery, Model, Timestamp, get, post, read, write

TAG = "Gaps"
_COLUMNS: Final = ("question", "count", "state", "reason", "first_seen", "last_seen", "assignee", "note", "id")


class GapFilterQuery(Model):
    state: GapState | None = Field(default=None, description="Every state when left out.")
    reason: GapReason | None = Field(default=None, description="What gave it away last.")
    language: str | None = Field(default=None, pattern="^[a-z]{2,3}$", description="Asked in it, at least once.")
    since: Timestamp | None = Field(default=None, description="Asked then or later.")

    text: str | None = Field(default=None, min_length=1, max_length=200, description="Stands in the question.")

    @property
    def only(self) -> GapFilter:
        return GapFilter(self.reason, self.language, self.since, self.text)


class GapsQuery(GapFilterQuery, ListQuery):
    sort: GapOrder = Field(
        default=GapOrder.ASKED,
        description="What comes first: asked most often; impact (visitors x (1 + askings of the last 7 days)); latest.",
    )


class NoteIn(Model):
    note: str = Field(default="", max_length=MAX_NOTE_CHARS)


class GapOut(Model):
    id: UUID
    agent_id: UUID
    question: str
    state: GapState
    reason: GapReason
    count: int
    first_seen: datetime
    last_seen: datetime
    note: str
    assignee: str


class GapExportQuery(GapFilterQuery):
    format: ExportFormat = "csv"


class AdminGaps(Api):
    tag = TAG

    def __init__(self, gaps: Gaps) -> None:
        self._gaps = gaps

    @get("/v1/agents/{agent_id}/gaps", "List questions that could not be answered", access=read)
    async def list_gaps(self, call: Call[Actor, GapsQuery]) -> ListOut[GapOut]:
        asked = call.input
        page = await self._gaps.of_agent(
            call.caller, call.path_id("agent_id"), asked.state, asked.page, asked.only, asked.sort
        )
        return ListOut[GapOut].of(page)

    @post("/v1/gaps/{gap_id}/ignore", "Ignore a gap, which need not be answered", access=write, is_input_optional=True)
    async def ignore_gap(self, call: Call[Actor, NoteIn]) -> GapOut:
        return GapOut.of(await self._gaps.ignore(call.caller, call.path_id("gap_id"), call.input.note))

    @post(
        "/v1/gaps/{gap_id}/reopen",
        "Reopen a gap, which must be answered after all",
        access=write,
        is_input_optional=True,
    )
    async def reopen_gap(self, call: Call[Actor, NoteIn]) -> GapOut:
        return GapOut.of(await self._gaps.reopen(call.caller, call.path_id("gap_id"), call.input.note))

    @get(
        "/v1/agents/{agent_id}/gaps/export",
        f"Export gaps as one CSV or JSON file, most asked first, {MAX_EXPORTED} at most",
        access=read,
        response_media_type="text/csv",
        other_media_types=("application/json",),
    )
    async def export_gaps(self, call: Call[Actor, GapExportQuery]) -> Response:
        gaps = await self._gaps.all_of_agent(call.caller, call.path_id("agent_id"), call.input.state, call.input.only)
        return gaps_file(gaps, call.input.format)


def gaps_file(gaps: Sequence[Gap], form: ExportFormat) -> Response:
    """A download."""
    return exported("gaps", form, lambda: as_csv(gaps), map(GapOut.of, gaps))


def as_csv(gaps: Iterable[Gap]) -> str:
    """One row a gap; no cell starts a formula."""
    return csv_table(_COLUMNS, map(_row, gaps))


def _row(gap: Gap) -> tuple[str, ...]:
    seen = gap.first_seen.isoformat(), gap.last_seen.isoformat()
    texts = as_cell(gap.question), str(gap.count), gap.state.value, gap.reason.value
    return (*texts, *seen, as_cell(gap.assignee), as_cell(gap.note), str(gap.id))


class SuggestedSourceOut(Model):
    url: str
    title: str
    as_of: date | None


class SuggestionOut(Model):
    state: SuggestionState = Field(
        description="drafted; not_said: the pages do not hold the answer; withheld: a filter stopped the draft."
    )
    text: str = Field(description='Fit for a curated answer\'s `answer`; "" unless drafted.')
    sources: tuple[SuggestedSourceOut, ...] = Field(description="The pages that the draft rests on.")


class AdminGapSuggestions(Api):
    tag = TAG

    def __init__(self, suggestions: GapSuggestions) -> None:
        self._suggestions = suggestions

    @post(
        "/v1/gaps/{gap_id}/suggestion",
        "Have the chat model draft an answer from the pages; nothing is saved",
        access=write,
        codes=("unavailable", "model_interrupted"),
    )
    async def suggest_answer(self, call: Call[Actor, None]) -> SuggestionOut:
        return SuggestionOut.of(await self._suggestions.suggest(call.caller, call.path_id("gap_id")))
