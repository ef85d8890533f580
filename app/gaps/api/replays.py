"""Admin API: gaps asked once more, and closed where they are answered."""

from pydantic import Field

from app.agents.agent import Version
from app.core.actor import Actor
from app.core.gap_state import GapReason
from app.core.turn import AnsweredBy
from app.gaps.api.gaps import TAG, GapOut, NoteIn
from app.gaps.gap import Gap, GapReplay, ReplayedQuestion
from app.gaps.gap_replays import MAX_WORDINGS, GapReplays
from app.gaps.gaps import Gaps
from app.web.operation import Api, Call, Model, post, write


class ReplayIn(Model):
    version: Version = Field(default="live", description="Whose settings answer.")


class ResolveIn(NoteIn):
    version: Version = Field(default="live", description="Whose settings answer.")
    unproven: bool = Field(default=False, description="Close it on your word (`resolved`), without asking.")


class AnswerBeforeOut(Model):
    answer: str
    answered_by: AnsweredBy | None
    confidence: float | None
    cited: tuple[str, ...]


class AnswerAfterOut(Model):
    answer: str
    answered_by: AnsweredBy
    confidence: float
    cited: tuple[str, ...]
    gap: GapReason | None = Field(description="What gives it away as a gap again; null for an answer that stands.")


class ReplayedQuestionOut(Model):
    question: str
    before: AnswerBeforeOut
    after: AnswerAfterOut
    passes: bool

    @classmethod
    def of(cls, replayed: ReplayedQuestion) -> "ReplayedQuestionOut":
        return super().of(replayed, question=replayed.before.question)


class GapReplayOut(GapOut):
    passes: bool | None = Field(description="Every wording is answered; null when none was asked.")
    questions: list[ReplayedQuestionOut] = Field(description=f"At most {MAX_WORDINGS} wordings, latest first.")

    @classmethod
    def of_replay(cls, replay: GapReplay) -> "GapReplayOut":
        questions = tuple(map(ReplayedQuestionOut.of, replay.questions))
        return cls.of(replay.gap, replay, questions=questions)

    @classmethod
    def unasked(cls, gap: Gap) -> "GapReplayOut":
        return cls(**GapOut.of(gap).model_dump(), passes=None, questions=[])


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
