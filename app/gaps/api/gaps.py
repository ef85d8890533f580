"""Admin API: gaps page by page or as one file, and one with its details; merging, splitting, assigning, settling many;
drafted answers; and replays, which close a gap if it is answered."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from app.agents.agent import Version
from app.answers.answer_drafter import SuggestedSource, Suggestion
from app.answers.curated.curated_answer import CuratedAnswer
from app.conversations.api.conversations import TAG as CONVERSATIONS
from app.core.actor import Actor
from app.core.turn import GapState
from app.gaps.gap import (
    FoundThen,
    Gap,
    GapAsking,
    GapFilter,
    GapOrder,
    GapReplay,
    GapSample,
    ReplayedQuestion,
    Snapshot,
    TrialAnswer,
)
from app.gaps.gap_replays import MAX_WORDINGS, GapReplays
from app.gaps.gap_suggestions import GapSuggestions
from app.gaps.gaps import CHOSEN, MAX_EXPORTED, NOTE, Gaps, GapTriage, GapView
from app.gaps.turn_review import TurnReview
from app.quality.api.golden_questions import GoldenQuestionOut
from app.quality.golden_question import MAX_PAGES
from app.web.file_export import ExportFormat, exported
from app.web.model import Email
from app.web.operation import Api, Call, ListOut, ListQuery, Model, get, items_of, patch, post, read, write

TAG = "Gaps"
_COLUMNS: Final = ("question", "count", "state", "reason", "first_seen", "last_seen", "assignee", "note", "id")


class GapFilterQuery(Model, takes=GapFilter, fields="state reason language since text"):
    state: Annotated[GapState | None, "If left out, every state."] = None
    language: str | None = Field(
        default=None, pattern="^[a-z]{2,3}$", description="A language in which it was asked at least once."
    )


class GapsQuery(GapFilterQuery, ListQuery):
    sort: Annotated[
        GapOrder,
        "Most asked first, highest impact first (visitors × (1 + times asked in the last 7 days)), or latest first.",
    ] = GapOrder.ASKED


class NoteIn(Model):
    note: Annotated[str, NOTE] = ""


class GapOut(Model, shows=Gap, fields="id agent_id question state reason count first_seen last_seen note assignee"): ...


class GapExportQuery(GapFilterQuery):
    format: ExportFormat = "csv"


class AdminGaps(Api):
    tag = TAG
    _gaps: Gaps

    @get("/v1/agents/{agent_id}/gaps", "List questions that could not be answered", access=read)
    async def list_gaps(self, call: Call[Actor, GapsQuery]) -> ListOut[GapOut]:
        query = call.input
        page = await self._gaps.gaps(
            call.caller, call.path_id("agent_id"), query.state, query.page, query.made(GapFilter), query.sort
        )
        return ListOut[GapOut].showing(page)

    @post("/v1/gaps/{gap_id}/ignore", "Ignore a gap that needs no answer", access=write, is_input_optional=True)
    async def ignore_gap(self, call: Call[Actor, NoteIn]) -> GapOut:
        return GapOut.showing(await self._gaps.ignore(call.caller, call.path_id("gap_id"), call.input.note))

    @post(
        "/v1/gaps/{gap_id}/reopen",
        "Reopen a gap that needs an answer after all",
        access=write,
        is_input_optional=True,
    )
    async def reopen_gap(self, call: Call[Actor, NoteIn]) -> GapOut:
        return GapOut.showing(await self._gaps.reopen(call.caller, call.path_id("gap_id"), call.input.note))

    @get(
        "/v1/agents/{agent_id}/gaps/export",
        f"Export gaps as one CSV or JSON file, most asked first, at most {MAX_EXPORTED}",
        access=read,
        response_media_type="text/csv",
        other_media_types=("application/json",),
    )
    async def export_gaps(self, call: Call[Actor, GapExportQuery]) -> Response:
        gaps = await self._gaps.all_of_agent(
            call.caller, call.path_id("agent_id"), call.input.state, call.input.made(GapFilter)
        )
        return gaps_file(gaps, call.input.format)


def gaps_file(gaps: Sequence[Gap], form: ExportFormat) -> Response:
    return exported("gaps", form, _COLUMNS, map(GapOut.showing, gaps))


class SuggestedSourceOut(Model, shows=SuggestedSource, fields="url title as_of"): ...


class SuggestionOut(Model, shows=Suggestion, fields="state text sources"): ...


class AdminGapSuggestions(Api):
    tag = TAG
    _suggestions: GapSuggestions

    @post(
        "/v1/gaps/{gap_id}/suggestion",
        "Have the chat model draft an answer from the pages; nothing is saved",
        access=write,
        codes=("unavailable", "model_interrupted"),
    )
    async def suggest_answer(self, call: Call[Actor, None]) -> SuggestionOut:
        return SuggestionOut.showing(await self._suggestions.suggest(call.caller, call.path_id("gap_id")))


class MergeIn(Model):
    gap_ids: Annotated[list[UUID], CHOSEN, "The gaps to merge into this one."]


class SplitIn(Model):
    turn_id: UUID = Field(description="One of the samples. All questions with its wording are split off.")


class GapPatch(Model):
    assignee: Email | None = Field(default=None, description='The e-mail address of an operator; "" for nobody.')
    note: Annotated[str | None, NOTE] = None


class SettleIn(Model):
    gap_ids: Annotated[list[UUID], CHOSEN]
    state: Literal["ignored", "open"]
    note: Annotated[str, NOTE, "The reason; required for `ignored`."] = ""


class SettledOut(Model, adds=items_of(GapOut)): ...


class SampleOut(Model, shows=GapSample, fields="turn_id conversation_id question language reason asked_at channel"): ...


class FoundOut(Model, shows=FoundThen, fields="url title confidence cosine bm25"): ...


class SnapshotOut(Model, shows=Snapshot, fields="why found why_unsure answers_from text_source_id"): ...


class GapViewOut(
    GapOut,
    shows=GapView,
    parts="gap facts",
    fields="visitors impact this_week week_before by_day languages samples snapshot",
): ...


class AdminGapTriage(Api):
    tag = TAG
    _triage: GapTriage

    @get("/v1/gaps/{gap_id}", "Get one gap with all its details", access=read)
    async def get_gap(self, call: Call[Actor, None]) -> GapViewOut:
        return GapViewOut.showing(await self._triage.view(call.caller, call.path_id("gap_id")))

    @patch("/v1/gaps/{gap_id}", "Assign a gap or set its note; only the fields sent change", access=write)
    async def edit_gap(self, call: Call[Actor, GapPatch]) -> GapOut:
        given = call.input
        return GapOut.showing(await self._triage.edit(call.caller, call.path_id("gap_id"), given.assignee, given.note))

    @post("/v1/gaps/{gap_id}/merge", "Merge other gaps of the agent into this one", access=write)
    async def merge_gaps(self, call: Call[Actor, MergeIn]) -> GapOut:
        return GapOut.showing(await self._triage.merge(call.caller, call.path_id("gap_id"), call.input.gap_ids))

    @post("/v1/gaps/{gap_id}/split", "Split one wording off into its own gap", access=write)
    async def split_gap(self, call: Call[Actor, SplitIn]) -> GapOut:
        return GapOut.showing(await self._triage.split(call.caller, call.path_id("gap_id"), call.input.turn_id))

    @post("/v1/agents/{agent_id}/gaps/settle", "Ignore or reopen many gaps: all or none", access=write)
    async def settle_gaps(self, call: Call[Actor, SettleIn]) -> SettledOut:
        body = call.input
        settled = await self._triage.settle(
            call.caller, call.path_id("agent_id"), body.gap_ids, GapState(body.state), body.note
        )
        return SettledOut.showing(items=settled)


class ReplayIn(Model):
    version: Annotated[Version, "Whether to use the settings of the draft or of the live version."] = "live"


class ResolveIn(ReplayIn, NoteIn):
    unproven: bool = Field(default=False, description="Close the gap (`resolved`) without asking its questions.")


class AnswerBeforeOut(Model, shows=GapAsking, fields="answer answered_by confidence cited"): ...


class AnswerAfterOut(Model, shows=TrialAnswer, fields="answer answered_by confidence cited gap"): ...


class ReplayedQuestionOut(Model, shows=ReplayedQuestion, fields="question=before.question before after passes"): ...


class GapReplayOut(GapOut, shows=GapReplay, parts="gap", fields="passes questions"):
    passes: Annotated[bool | None, "Whether every wording is answered; null if none was asked."]
    questions: Annotated[list[ReplayedQuestionOut], f"At most {MAX_WORDINGS} wordings, latest first."]


class AdminGapReplays(Api):
    tag = TAG
    _replays: GapReplays
    _gaps: Gaps

    @post(
        "/v1/gaps/{gap_id}/replay",
        "Ask the gap's questions again; nothing changes",
        access=write,
        is_input_optional=True,
    )
    async def replay_gap(self, call: Call[Actor, ReplayIn]) -> GapReplayOut:
        replay = await self._replays.replay(call.caller, call.path_id("gap_id"), call.input.version)
        return GapReplayOut.showing(replay)

    @post(
        "/v1/gaps/{gap_id}/resolve",
        "Ask the gap's questions again, and close it if every one is answered",
        access=write,
        is_input_optional=True,
    )
    async def resolve_gap(self, call: Call[Actor, ResolveIn]) -> GapReplayOut:
        gap_id, body = call.path_id("gap_id"), call.input
        if body.unproven:
            gap = await self._gaps.resolve(call.caller, gap_id, body.note)
            return GapReplayOut.showing(gap, passes=None, questions=())
        return GapReplayOut.showing(await self._replays.resolve(call.caller, gap_id, body.note, body.version))


class CuratedDraftOut(
    Model, shows=CuratedAnswer, fields="trigger pattern answer priority language page_prefix expires_at"
):
    """The input for `POST /v1/agents/{agent_id}/curated-answers` and its rehearsal."""

    pattern: str = Field(description="The question, with personal data masked.")
    answer: str = Field(description="The answer that the visitor got, without source numbers.")


class TurnGoldenIn(Model):
    pages: tuple[str, ...] | None = Field(
        default=None, max_length=MAX_PAGES, description="Null: the pages that the answer cites."
    )


class AdminTurnReview(Api):
    tag = CONVERSATIONS
    _review: TurnReview

    @post("/v1/turns/{turn_id}/gap", "Count a turn's question as a gap", access=write)
    async def flag_turn(self, call: Call[Actor, None]) -> GapOut:
        return GapOut.showing(await self._review.flag(call.caller, call.path_id("turn_id")))

    @get(
        "/v1/turns/{turn_id}/curated-answer",
        "Draft a curated answer to a turn's question, to edit and save",
        access=read,
    )
    async def draft_curated_answer(self, call: Call[Actor, None]) -> CuratedDraftOut:
        return CuratedDraftOut.showing(await self._review.curated_draft(call.caller, call.path_id("turn_id")))

    @post(
        "/v1/turns/{turn_id}/golden-question",
        "Make a turn's question a golden question",
        access=write,
        is_input_optional=True,
        status=201,
    )
    async def make_golden_question(self, call: Call[Actor, TurnGoldenIn]) -> GoldenQuestionOut:
        golden = await self._review.make_golden(call.caller, call.path_id("turn_id"), call.input.pages)
        return GoldenQuestionOut.showing(golden)
