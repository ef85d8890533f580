"""An operator makes a gap, a curated answer or a golden question of a turn."""

from collections.abc import Collection, Sequence
from uuid import UUID, uuid4

from app.agents.records import AgentRecords
from app.answers.curated.curated_answer import MAX_ANSWER_CHARS, MAX_PATTERN_CHARS, CuratedAnswer, Trigger
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.personal_data import masked
from app.core.text.answer_words import without_citations
from app.core.turn import StoredTurn
from app.gaps.gap import Gap
from app.gaps.records.gaps import GapRecords
from app.kit.wiring import Wired
from app.quality.golden_question import GoldenOrigin, GoldenQuestion, cited_pages
from app.quality.golden_questions import GoldenQuestions
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.records.audit import AuditRecords


class TurnReview(Wired):
    """Methods for one turn raise NotFound if it does not exist, was erased, or belongs to another workspace. Personal
    data is masked in the results, because they outlive the conversation."""

    _records: SystemOfRecord
    _golden: GoldenQuestions

    @writes
    def flag(self, tx: Transaction, actor: Actor, turn_id: UUID) -> Gap:
        """Count the turn's question as a gap, once; a closed gap reopens. Raises InvalidInput if the question has no
        word."""
        turn = _turn(tx, actor, turn_id)
        gap_id = TurnRecords(tx).flag(turn.id)
        if gap_id is None:
            raise InvalidInput("", "The question contains no words to search for.")
        gap = GapRecords(tx).gap(actor.workspace_id, gap_id)
        details = {"agent_id": str(turn.agent_id), "turn_id": str(turn.id)}
        AuditRecords(tx).acted(actor, "gap.flag", gap.id, **details)
        return gap

    @reads
    def gaps_of(self, tx: Transaction, actor: Actor, turn_ids: Collection[UUID]) -> dict[UUID, Gap]:
        """The gaps of these turns, by turn; turns without a gap are missing."""
        return GapRecords(tx).of_turns(actor.workspace_id, turn_ids)

    @reads
    def curated_draft(self, tx: Transaction, actor: Actor, turn_id: UUID) -> CuratedAnswer:
        """A curated answer from the turn's question and answer, without citation marks. It is not stored."""
        turn = _turn(tx, actor, turn_id)
        pattern = " ".join(masked(turn.question).split())[:MAX_PATTERN_CHARS]
        answer = without_citations(turn.answer)[:MAX_ANSWER_CHARS]
        return CuratedAnswer(uuid4(), turn.agent_id, Trigger.SEMANTIC, pattern, answer, language=turn.language)

    async def make_golden(self, actor: Actor, turn_id: UUID, pages: Sequence[str] | None = None) -> GoldenQuestion:
        """Add the turn's question as golden question with `pages`, by default those that its answer cites. Raises
        InvalidInput."""
        turn = await self._records.of_workspace(actor.workspace_id).read(lambda tx: _turn(tx, actor, turn_id))
        if pages is None:
            pages = cited_pages(turn.citations)
        golden = GoldenQuestion(
            uuid4(), turn.agent_id, masked(turn.question), tuple(pages), turn.language, GoldenOrigin.CONVERSATION
        )
        return await self._golden.create(actor, golden)


def _turn(tx: Transaction, actor: Actor, turn_id: UUID) -> StoredTurn:
    turn = StoredTurnRecords(tx).find(turn_id)
    if turn is None:
        raise NotFound("turn")
    try:
        AgentRecords(tx).agent(actor.workspace_id, turn.agent_id)
    except NotFound:
        raise NotFound("turn") from None
    return turn
