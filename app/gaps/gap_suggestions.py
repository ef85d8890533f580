"""Drafts an answer to a gap from the pages, for an operator to edit and save."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from app.answers.answer_drafter import Suggestion, SuggestionState
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.gaps.gap import Gap, GapAsking
from app.gaps.gap_replays import MAX_WORDINGS
from app.gaps.records.gaps import GapRecords, GapReplayRecords
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction

NO_MODEL = (
    "No chat model is set, so nothing can be drafted. Set DOCENT_MODEL_URL and DOCENT_MODEL_NAME and restart, or "
    "write the answer yourself."
)


class AnswerDrafts(Protocol):
    async def draft(
        self, workspace_id: UUID, agent_id: UUID, questions: Sequence[str], page_url: str, language: str | None
    ) -> Suggestion:
        """Draft an answer from the pages that the agent's draft finds. `questions` are wordings of one question, asked
        on `page_url` in `language`. Raises NotFound, RateLimited if the agent's tokens of the day are spent,
        Unavailable."""
        ...


class GapSuggestions(Wired):
    """Suggests answers, without saving them. `drafts` is None if no chat model is set."""

    _records: SystemOfRecord
    _drafts: AnswerDrafts | None

    @property
    def can_draft(self) -> bool:
        return self._drafts is not None

    async def suggest(self, actor: Actor, gap_id: UUID) -> Suggestion:
        """From its latest MAX_WORDINGS wordings. Raises NotFound for a gap that does not exist or belongs to another
        workspace, InvalidInput without a chat model, and the errors of AnswerDrafts."""

        def work(tx: Transaction) -> tuple[list[GapAsking], Gap]:
            gap = GapRecords(tx).gap(actor.workspace_id, gap_id)
            askings = GapReplayRecords(tx).askings(gap_id, MAX_WORDINGS)
            return askings, gap

        askings, gap = await self._records.of_workspace(actor.workspace_id).read(work)
        if self._drafts is None:
            raise InvalidInput("", NO_MODEL)
        if not askings:
            return Suggestion(SuggestionState.NOT_SAID)
        questions = list(dict.fromkeys(asking.standalone for asking in askings))
        latest = askings[0]
        return await self._drafts.draft(actor.workspace_id, gap.agent_id, questions, latest.page_url, latest.language)
