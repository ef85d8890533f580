"""Admin API: gaps page by page or as one file, and one with its details; merging, splitting, assigning, settling many;
drafted answers; and replays, which close a gap if it is answered."""

from collections.abc import Sequence
from typing import Final, Literal
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from app.agents.agent import Version
from app.answers.suggestion import SuggestedSource, Suggestion
from app.core.actor import Actor
from app.core.gap_state import GapReason, GapState
from app.core.turn import Channel
from app.gaps.gap import (
    LEAST_ADVISED,
    FoundThen,
    Gap,
    GapAsking,
    GapFacts,
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
from app.gaps.gaps import MAX_AT_ONCE, MAX_EXPORTED, MAX_NOTE_CHARS, Gaps, GapTriage, GapView
from app.web.file_export import ExportFormat, exported
from app.web.model import Email
from app.web.operation import (
    Api,
    Call,
    ListOut,
    ListQuery,
    Model,
    Timestamp,
    get,
    patch,
    post,
    read,
    write,
)

TAG = "Gaps"
_COLUMNS: Final = ("question", "count", "state", "reason", "first_seen", "last_seen", "assignee", "note", "id")


class GapFilterQuery(Model, takes=GapFilter, fields="state reason language since text"):
    state: GapState | None = Field(default=None, description="If left out, every state.")
    language: str | None = Field(
        default=None, pattern="^[a-z]{2,3}$", description="A language in which it was asked at least once."
    )
    since: Timestamp | None = Field(default=None, description="Asked at this time or later.")

    @property
    def only(self) -> GapFilter:
        return self.made(GapFilter)


class GapsQuery(GapFilterQuery, ListQuery):
    sort: GapOrder = Field(
        default=GapOrder.ASKED,
        description="Most asked first, highest impact first (visitors × (1 + times asked in the last 7 days)), or "
        "latest first.",
    )


class NoteIn(Model):
    note: str = Field(default="", max_length=MAX_NOTE_CHARS)


class GapOut(Model, shows=Gap, fields="id agent_id question state reason count first_seen last_seen note assignee"): ...


class GapExportQuery(GapFilterQuery):
    format: ExportFormat = "csv"


class AdminGaps(Api):
    tag = TAG

    def __init__(self, gaps: Gaps) -> None:
        self._gaps = gaps

    @get("/v1/agents/{agent_id}/gaps", "List questions that could not be answered", access=read)
    async def list_gaps(self, call: Call[Actor, GapsQuery]) -> ListOut[GapOut]:
        asked = call.input
        page = await self._gaps.gaps(
            call.caller, call.path_id("agent_id"), asked.state, asked.page, asked.only, asked.sort
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
        gaps = await self._gaps.all_of_agent(call.caller, call.path_id("agent_id"), call.input.state, call.input.only)
        return gaps_file(gaps, call.input.format)


def gaps_file(gaps: Sequence[Gap], form: ExportFormat) -> Response:
    """A download."""
    return exported("gaps", form, _COLUMNS, map(GapOut.showing, gaps))


class SuggestedSourceOut(Model, shows=SuggestedSource, fields="url title as_of"): ...


class SuggestionOut(Model, shows=Suggestion, fields="state text sources"):
    sources: tuple[SuggestedSourceOut, ...] = Field(description="The pages that support the draft.")


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
        return SuggestionOut.showing(await self._suggestions.suggest(call.caller, call.path_id("gap_id")))


class MergeIn(Model):
    gap_ids: list[UUID] = Field(min_length=1, max_length=MAX_AT_ONCE, description="The gaps to merge into this one.")


class SplitIn(Model):
    turn_id: UUID = Field(description="One of the samples. All questions with its wording are split off.")


class GapPatch(Model):
    assignee: Email | None = Field(default=None, description='The e-mail address of an operator; "" for nobody.')
    note: str | None = Field(default=None, max_length=MAX_NOTE_CHARS)


class SettleIn(Model):
    gap_ids: list[UUID] = Field(min_length=1, max_length=MAX_AT_ONCE)
    state: Literal["ignored", "open"]
    note: str = Field(default="", max_length=MAX_NOTE_CHARS, description="The reason; required for `ignored`.")


class SettledOut(Model):
    items: list[GapOut]


class SampleOut(Model, shows=GapSample, fields="turn_id conversation_id question language reason asked_at channel"):
    channel: Channel = Field(description="Where the question was asked.")


class FoundOut(Model, shows=FoundThen, fields="url title confidence cosine bm25"): ...


class SnapshotOut(Model, shows=Snapshot, fields="why found why_unsure answers_from text_source_id"):
    found: tuple[FoundOut, ...]
    answers_from: float | None = Field(
        description=f"The highest threshold at which search would be sure enough; null if none from {LEAST_ADVISED} "
        "on would do."
    )


class GapViewOut(
    GapOut, shows=GapFacts, fields="visitors impact this_week week_before by_day languages samples snapshot"
):
    samples: tuple[SampleOut, ...] = Field(description="The latest questions, latest first.")
    snapshot: SnapshotOut | None = Field(
        description="What search found for the latest question, and why it was not enough."
    )

    @classmethod
    def of_view(cls, view: GapView) -> "GapViewOut":
        return cls.showing(view.gap, view.facts, snapshot=view.snapshot)


class AdminGapTriage(Api):
    tag = TAG

    def __init__(self, triage: GapTriage) -> None:
        self._triage = triage

    @get("/v1/gaps/{gap_id}", "Get one gap with all its details", access=read)
    async def get_gap(self, call: Call[Actor, None]) -> GapViewOut:
        return GapViewOut.of_view(await self._triage.view(call.caller, call.path_id("gap_id")))

    @patch("/v1/gaps/{gap_id}", "Assign a gap or set its note; only the fields sent change", access=write)
    async def edit_gap(self, call: Call[Actor, GapPatch]) -> GapOut:
        given = call.input
        return GapOut.showing(await self._triage.tell(call.caller, call.path_id("gap_id"), given.assignee, given.note))

    @post("/v1/gaps/{gap_id}/merge", "Merge other gaps of the agent into this one", access=write)
    async def merge_gaps(self, call: Call[Actor, MergeIn]) -> GapOut:
        return GapOut.showing(await self._triage.merge(call.caller, call.path_id("gap_id"), call.input.gap_ids))

    @post("/v1/gaps/{gap_id}/split", "Split one wording off into its own gap", access=write)
    async def split_gap(self, call: Call[Actor, SplitIn]) -> GapOut:
        return GapOut.showing(await self._triage.split(call.caller, call.path_id("gap_id"), call.input.turn_id))

    @post("/v1/agents/{agent_id}/gaps/settle", "Ignore or reopen many gaps: all or none", access=write)
    async def settle_gaps(self, call: Call[Actor, SettleIn]) -> SettledOut:
        asked = call.input
        settled = await self._triage.settle(
            call.caller, call.path_id("agent_id"), asked.gap_ids, GapState(asked.state), asked.note
        )
        return SettledOut(items=[GapOut.showing(gap) for gap in settled])


class ReplayIn(Model):
    version: Version = Field(
        default="live", description="Whether to use the settings of the draft or of the live version."
    )


class ResolveIn(ReplayIn, NoteIn):
    unproven: bool = Field(default=False, description="Close the gap (`resolved`) without asking its questions.")


class AnswerBeforeOut(Model, shows=GapAsking, fields="answer answered_by confidence cited"): ...


class AnswerAfterOut(Model, shows=TrialAnswer, fields="answer answered_by confidence cited gap"):
    gap: GapReason | None = Field(description="Why it is still a gap; null if the question is now answered.")


class ReplayedQuestionOut(Model):
    question: str
    before: AnswerBeforeOut
    after: AnswerAfterOut
    passes: bool

    @classmethod
    def showing(cls, replayed: ReplayedQuestion) -> "ReplayedQuestionOut":
        return super().showing(replayed, question=replayed.before.question)


class GapReplayOut(GapOut):
    passes: bool | None = Field(description="Whether every wording is answered; null if none was asked.")
    questions: list[ReplayedQuestionOut] = Field(description=f"At most {MAX_WORDINGS} wordings, latest first.")

    @classmethod
    def of_replay(cls, replay: GapReplay) -> "GapReplayOut":
        questions = tuple(map(ReplayedQuestionOut.showing, replay.questions))
        return cls.showing(replay.gap, replay, questions=questions)

    @classmethod
    def unasked(cls, gap: Gap) -> "GapReplayOut":
        return cls(**GapOut.showing(gap).model_dump(), passes=None, questions=[])


class AdminGapReplays(Api):
    tag = TAG

    def __init__(self, replays: GapReplays, gaps: Gaps) -> None:
        self._replays = replays
        self._gaps = gaps

    @post(
        "/v1/gaps/{gap_id}/replay",
        "Ask the gap's questions again; nothing changes",
        access=write,
        is_input_optional=True,
    )
    async def replay_gap(self, call: Call[Actor, ReplayIn]) -> GapReplayOut:
        replay = await self._replays.replay(call.caller, call.path_id("gap_id"), call.input.version)
        return GapReplayOut.of_replay(replay)

    @post(
        "/v1/gaps/{gap_id}/resolve",
        "Ask the gap's questions again, and close it if every one is answered",
        access=write,
        is_input_optional=True,
    )
    async def resolve_gap(self, call: Call[Actor, ResolveIn]) -> GapReplayOut:
        gap_id, asked = call.path_id("gap_id"), call.input
        if asked.unproven:
            return GapReplayOut.unasked(await self._gaps.resolve(call.caller, gap_id, asked.note))
        return GapReplayOut.of_replay(await self._replays.resolve(call.caller, gap_id, asked.note, asked.version))
