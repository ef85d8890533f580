"""Admin API: one gap with all that is known of it; merging, splitting, assigning, settling many."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from app.core.actor import Actor
from app.core.gap_state import GapReason, GapState
from app.core.turn import Channel
from app.gaps.api.gaps import TAG, GapOut
from app.gaps.gap_facts import Shortfall
from app.gaps.gap_triage import MAX_AT_ONCE, GapTriage, GapView
from app.gaps.gaps import MAX_NOTE_CHARS
from app.web.operation import Api, Call, Model, get, patch, post, read, write
from app.workspaces.operators import MAX_EMAIL_CHARS


class MergeIn(Model):
    gap_ids: list[UUID] = Field(min_length=1, max_length=MAX_AT_ONCE, description="They become part of this gap.")


class SplitIn(Model):
    turn_id: UUID = Field(description="One of the samples; its wording leaves, each time it was asked.")


class GapPatch(Model):
    assignee: str | None = Field(
        default=None, max_length=MAX_EMAIL_CHARS, description='The e-mail address of an operator; "": nobody.'
    )
    note: str | None = Field(default=None, max_length=MAX_NOTE_CHARS)


class SettleIn(Model):
    gap_ids: list[UUID] = Field(min_length=1, max_length=MAX_AT_ONCE)
    state: Literal["ignored", "open"]
    note: str = Field(default="", max_length=MAX_NOTE_CHARS, description="Why; needed for `ignored`.")


class SettledOut(Model):
    items: list[GapOut]


class SampleOut(Model):
    turn_id: UUID
    conversation_id: UUID
    question: str
    language: str | None
    reason: GapReason
    asked_at: datetime
    channel: Channel = Field(description="Where it was asked.")


class FoundOut(Model):
    url: str
    title: str
    confidence: float
    cosine: float | None
    bm25: float | None


class SnapshotOut(Model):
    why: Shortfall
    found: tuple[FoundOut, ...]
    answers_from: float | None = Field(description="The highest threshold at which this would have been answered from.")
    text_source_id: UUID | None = Field(description="The source of kind text that the best of it is from.")


class GapViewOut(GapOut):
    visitors: int
    impact: int = Field(description="visitors x (1 + askings of the last 7 days)")
    this_week: int = Field(description="Askings of the last 7 days.")
    week_before: int = Field(description="Askings of the 7 days before.")
    by_day: tuple[int, ...] = Field(description="Askings of the last 28 spans of 24 hours, oldest first.")
    languages: tuple[str, ...]
    samples: tuple[SampleOut, ...] = Field(description="The latest askings, latest first.")
    snapshot: SnapshotOut | None = Field(description="What search found at the latest asking, and why it fell short.")

    @classmethod
    def of_view(cls, view: GapView) -> "GapViewOut":
        return cls.of(view.gap, view.facts, snapshot=view.snapshot)


class AdminGapTriage(Api):
    tag = TAG

    def __init__(self, triage: GapTriage) -> None:
        self._triage = triage

    @get("/v1/gaps/{gap_id}", "Get one gap with all its details", access=read)
    async def get_gap(self, call: Call[Actor, None]) -> GapViewOut:
        return GapViewOut.of_view(await self._triage.view(call.caller, call.path_id("gap_id")))

    @patch("/v1/gaps/{gap_id}", "Assign a gap or set its note; only the fields sent change", access=write)
    async def edit_gap(self, call: Call[Actor, GapPatch]) -> GapOut:
        told = call.input
        return GapOut.of(await self._triage.tell(call.caller, call.path_id("gap_id"), told.assignee, told.note))

    @post("/v1/gaps/{gap_id}/merge", "Merge other gaps of the agent into this one", access=write)
    async def merge_gaps(self, call: Call[Actor, MergeIn]) -> GapOut:
        return GapOut.of(await self._triage.merge(call.caller, call.path_id("gap_id"), call.input.gap_ids))

    @post("/v1/gaps/{gap_id}/split", "Split one wording off into its own gap", access=write)
    async def split_gap(self, call: Call[Actor, SplitIn]) -> GapOut:
        return GapOut.of(await self._triage.split(call.caller, call.path_id("gap_id"), call.input.turn_id))

    @post("/v1/agents/{agent_id}/gaps/settle", "Ignore or reopen many gaps: all or none", access=write)
    async def settle_gaps(self, call: Call[Actor, SettleIn]) -> SettledOut:
        asked = call.input
        settled = await self._triage.settle(
            call.caller, call.path_id("agent_id"), asked.gap_ids, GapState(asked.state), asked.note
        )
        return SettledOut(items=[GapOut.of(gap) for gap in settled])
