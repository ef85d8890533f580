"""Replays gaps: asks their questions again, and closes those that are answered now, with that as proof."""

from collections.abc import Sequence
from functools import partial
from typing import Final, Protocol
from uuid import UUID

import structlog

from app.agents.agent import Version
from app.answers.playground import Playground, PlaygroundQuestion
from app.core.actor import Actor
from app.core.errors import DocentError, NotFound
from app.core.field_rules import check_chosen
from app.core.turn import GapState
from app.gaps.gap import DueGap, Gap, GapAsking, GapReplay, ReplayedQuestion, TrialAnswer
from app.gaps.gaps import NOTE
from app.gaps.records.gaps import GapRecords, GapReplayRecords
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

log = structlog.get_logger(__name__)

MAX_WORDINGS: Final = 5
MAX_PROVEN: Final = 10
_AT_ONCE: Final = 10


class Trials(Protocol):
    """Answers like a turn, but stores no conversation, counts no usage and reads no visitor's history."""

    async def answer(self, workspace_id: UUID, agent_id: UUID, asking: GapAsking, version: Version) -> TrialAnswer:
        """With the published configuration or the draft. Raises NotFound for an agent that does not exist, belongs to
        another workspace or is not published; ModelInterrupted, Unavailable."""
        ...


class GapNews(Protocol):
    """Closes answered gaps that need no confirmation by an operator."""

    def close(self, tx: Transaction, due: DueGap, answer: TrialAnswer) -> bool:
        """Called when all questions of an open gap pass. Returns whether it closed the gap, in this transaction."""
        ...


class GapReplays(Wired):
    """Every method raises NotFound for a gap that does not exist or belongs to another workspace, and the errors of
    Trials.
    """

    _records: SystemOfRecord
    _trials: Trials
    _news: GapNews | None

    async def replay(self, actor: Actor, gap_id: UUID, version: Version = "live") -> GapReplay:
        """Ask the latest MAX_WORDINGS wordings of the gap again; changes nothing."""
        gap = await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: GapRecords(tx).gap(actor.workspace_id, gap_id)
        )
        return await self._replay(actor.workspace_id, gap, version)

    async def resolve(self, actor: Actor, gap_id: UUID, note: str = "", version: Version = "live") -> GapReplay:
        """Replay the gap, and close it as answered if all its wordings pass."""
        NOTE.check("note", note)
        replay = await self.replay(actor, gap_id, version)
        if not replay.passes:
            return replay

        def work(tx: Transaction) -> Gap:
            gap = GapRecords(tx).set_state(actor.workspace_id, gap_id, GapState.ANSWERED, note)
            details = {"agent_id": str(gap.agent_id), "version": version, "questions": len(replay.questions)}
            AuditRecords(tx).acted(actor, "gap.prove", gap_id, **details)
            return gap

        gap = await self._records.of_workspace(actor.workspace_id).write(work)
        return GapReplay(gap, replay.questions)

    async def resolve_many(self, actor: Actor, agent_id: UUID, gap_ids: Sequence[UUID]) -> tuple[list[Gap], list[Gap]]:
        """Like `resolve`, for up to MAX_PROVEN gaps of one agent. Returns the closed gaps, and those that stay open.
        Raises InvalidInput, and NotFound for another agent's."""
        check_chosen("gap_ids", gap_ids, MAX_PROVEN, "gaps")
        gaps = await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: [GapRecords(tx).gap(actor.workspace_id, gap_id) for gap_id in gap_ids]
        )
        if any(gap.agent_id != agent_id for gap in gaps):
            raise NotFound("gap")
        replays = [await self.resolve(actor, gap.id, gap.note) for gap in gaps]
        return [each.gap for each in replays if each.passes], [each.gap for each in replays if not each.passes]

    async def replay_due(self) -> int:
        """Replay one batch of gaps whose agents' knowledge has changed, most frequent first. Gaps that pass are
        proposed for closing, or closed if GapNews does so. Returns how many were replayed."""
        due = await self._records.read(lambda tx: GapReplayRecords(tx).due_for_replay(_AT_ONCE))
        for one in due:
            try:
                replay: GapReplay | None = await self._replay(one.workspace_id, one.gap, "live")
            except DocentError as error:
                log.warning("gap.not_replayed", gap=str(one.gap.id), reason=str(error))
                replay = None
            became = await self._records.of_workspace(one.workspace_id).write(partial(self._settle, one, replay))
            if became is not None:
                log.info("gap.answered" if became is GapState.ANSWERED else "gap.proposed", gap=str(one.gap.id))
        return len(due)

    def _settle(self, due: DueGap, replay: GapReplay | None, tx: Transaction) -> GapState | None:
        """Store the outcome of a replay; return the gap's new state, None if it is unchanged."""
        passes = replay is not None and replay.passes
        is_open = GapReplayRecords(tx).replayed(due.gap.id, due.generation, passes=passes)
        if replay is None or not passes or not is_open:
            return None
        if self._news is not None and self._news.close(tx, due, replay.questions[0].after):
            return GapState.ANSWERED
        return GapState.PROPOSED

    async def _replay(self, workspace_id: UUID, gap: Gap, version: Version) -> GapReplay:
        askings = await self._records.of_workspace(workspace_id).read(
            lambda tx: GapReplayRecords(tx).askings(gap.id, MAX_WORDINGS)
        )
        answers = [await self._trials.answer(workspace_id, gap.agent_id, asking, version) for asking in askings]
        return GapReplay(gap, tuple(map(ReplayedQuestion, askings, answers)))


class TrialAnswers(Wired):
    """Trials in the playground, without history and page context, which are not stored with a gap."""

    _playground: Playground

    async def answer(self, workspace_id: UUID, agent_id: UUID, asking: GapAsking, version: Version) -> TrialAnswer:
        """Raises NotFound, IndexUnavailable, ModelInterrupted."""
        question = PlaygroundQuestion(asking.question, asking.page_url, asking.language, standalone=asking.standalone)
        tried = await self._playground.ask(workspace_id, agent_id, question, version)
        cited = tuple(dict.fromkeys(citation.url for citation in tried.citations))
        return TrialAnswer(tried.answer, tried.answered_by, tried.confidence, cited, tried.gap)
