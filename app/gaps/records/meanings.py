"""Stores the vectors of gaps, and moves wordings between gaps."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import Select, and_, case, func, select, update

from app.conversations.records.gap_counting import GapCounting
from app.core.turn import GapState
from app.gaps.gap_grouping import Move, UnplacedGap, Wording
from app.store.stored_vectors import packed, unpacked
from app.store.tables.conversations import TURNS
from app.store.tables.gaps import GAP_QUESTIONS, GAPS
from app.store.transaction import Repository

_GAPS = 2000  # the latest open gaps of an agent; 0.8 MB of vectors
_WORDINGS = 300
# Gaps without changes by operators (merged, split, assigned, noted) and replays.
_UNTOUCHED = (
    GAPS.c.may_join,
    GAPS.c.assignee == "",
    GAPS.c.note == "",
    GAPS.c.answered_at.is_(None),
    GAPS.c.reopened_at.is_(None),
)


class GapMeaningRecords(Repository):
    def unplaced(self, at_most: int) -> list[UnplacedGap]:
        """Gaps of all agents that were not compared with their agent's others yet, oldest first."""
        language = (
            select(TURNS.c.language)
            .join(GAP_QUESTIONS, GAP_QUESTIONS.c.turn_id == TURNS.c.id)
            .where(GAP_QUESTIONS.c.gap_id == GAPS.c.id)
            .order_by(GAP_QUESTIONS.c.asked_at, GAP_QUESTIONS.c.id)
            .limit(1)
            .scalar_subquery()
        )
        statement = (
            select(GAPS.c.id, GAPS.c.agent_id, GAPS.c.question, language)
            .where(GAPS.c.placed_by.is_(None))
            .order_by(GAPS.c.first_seen, GAPS.c.id)
            .limit(at_most)
        )
        return [UnplacedGap(*row) for row in self._connection.execute(statement)]

    def place(self, gap: UnplacedGap, model_id: str, vector: Sequence[float] | None) -> None:
        """Mark the gap as compared by this model, and store the unit vector of its question, None if the model does not
        read it. Has no effect on a gap whose question has changed meanwhile."""
        meaning = None if vector is None else packed(vector)
        placed = update(GAPS).where(GAPS.c.id == gap.id, GAPS.c.placed_by.is_(None), GAPS.c.question == gap.question)
        self._connection.execute(placed.values(placed_by=model_id, meaning=meaning))

    def forget_meanings_but(self, model_id: str) -> None:
        """Mark gaps that were compared by another model as unplaced, and remove their vectors."""
        others = GAPS.c.placed_by.is_not(None), GAPS.c.placed_by != model_id
        self._update(GAPS, *others, placed_by=None, meaning=None)

    def wordings(self, agent_id: UUID, model_id: str) -> list[Wording]:
        """All wordings of the agent's open gaps that nobody has worked on, and one settled wording for each other gap
        whose vector by this model is known. At most _WORDINGS are not settled: those of gaps not compared yet, then the
        latest; further gaps count as settled."""
        is_loose = and_(*_UNTOUCHED)
        is_new = GAPS.c.placed_by.is_distinct_from(model_id)
        listed = (
            select(GAPS.c.id, GAPS.c.question_key, GAPS.c.question, GAPS.c.first_seen, is_loose, is_new, GAPS.c.meaning)
            .where(GAPS.c.agent_id == agent_id, GAPS.c.state == GapState.OPEN.value)
            .order_by(is_new.desc(), case((is_new, GAPS.c.first_seen)), GAPS.c.last_seen.desc(), GAPS.c.id)
            .limit(_GAPS)
        )
        gaps = self._connection.execute(listed).all()
        loose = {gap.id: gap.first_seen for gap in [gap for gap in gaps if gap[4]][:_WORDINGS]}
        by_gap: dict[UUID, list[Wording]] = {gap_id: [] for gap_id in loose}
        for row in self._connection.execute(_latest_wordings(list(loose))):
            gap_id = row.gap_id
            wording = Wording(gap_id, row.question_key, row.question, row.language, row.askings, loose[gap_id])
            by_gap[gap_id].append(wording)
        wordings: list[Wording] = []
        settled: list[Wording] = []
        for gap_id, key, question, since, _, is_unplaced, meaning in gaps:
            if gap_id in by_gap and len(wordings) + len(by_gap[gap_id]) <= _WORDINGS:
                wordings += by_gap[gap_id]
            elif meaning is not None and not is_unplaced:
                settled.append(Wording(gap_id, key, question, None, 0, since, True, unpacked(meaning)))
        return wordings + settled

    def regroup(self, agent_id: UUID, seen: Sequence[Wording], moves: Sequence[Move]) -> bool:
        """Move wordings with their askings between gaps of the agent, all or none; recount these gaps, and remove empty
        ones. False, with nothing moved, if one of them no longer has the wordings in `seen`."""
        touched = {wording.gap_id for move in moves for wording in move.wordings}
        kept = {move.into for move in moves if move.into is not None}
        if not self._are_as_seen(touched | kept, agent_id, seen):
            return False
        made: list[UUID] = []
        for move in moves:
            into = move.into
            if into is None:
                source = self._connection.execute(select(GAPS).where(GAPS.c.id == move.wordings[0].gap_id)).one()
                into = GapCounting(self._tx).add_like(source)
                made.append(into)
            for wording in move.wordings:
                of_wording = (
                    GAP_QUESTIONS.c.gap_id == wording.gap_id,
                    GAP_QUESTIONS.c.question_key == wording.key,
                )
                self._update(GAP_QUESTIONS, *of_wording, gap_id=into)
        # Gaps that may be removed come first, new ones last, because a gap may take over the key of one before it.
        for gap_id in [*sorted(touched - kept), *sorted(kept), *made]:
            GapCounting(self._tx).count_again([gap_id])
        return True

    def _are_as_seen(self, gap_ids: Collection[UUID], agent_id: UUID, seen: Sequence[Wording]) -> bool:
        """Lock the gaps; return whether they still have the wordings in `seen`."""
        loose = {(wording.gap_id, wording.key) for wording in seen if not wording.is_settled}
        loose = {place for place in loose if place[0] in gap_ids}
        ids = {gap_id for gap_id, _ in loose}
        locked = (
            select(GAPS.c.id, and_(*_UNTOUCHED).label("is_loose"))
            .where(GAPS.c.id.in_(gap_ids), GAPS.c.agent_id == agent_id, GAPS.c.state == GapState.OPEN.value)
            .order_by(GAPS.c.id)
            .with_for_update()
        )
        found = {row.id: row.is_loose for row in self._connection.execute(locked)}
        held = select(GAP_QUESTIONS.c.gap_id, GAP_QUESTIONS.c.question_key).where(GAP_QUESTIONS.c.gap_id.in_(ids))
        now = {(gap_id, key) for gap_id, key in self._connection.execute(held.distinct())}
        return found.keys() == set(gap_ids) and all(found[gap_id] for gap_id in ids) and now == loose


def _latest_wordings(gap_ids: Sequence[UUID]) -> Select[tuple[UUID, str, str, str | None, int]]:
    """Per gap and wording: the text and language of the latest asking, and the number of askings."""
    of_wording = GAP_QUESTIONS.c.gap_id, GAP_QUESTIONS.c.question_key
    ranked = (
        select(
            *of_wording,
            GAP_QUESTIONS.c.question,
            GAP_QUESTIONS.c.turn_id,
            func.count().over(partition_by=of_wording).label("askings"),
            func.row_number()
            .over(partition_by=of_wording, order_by=(GAP_QUESTIONS.c.asked_at.desc(), GAP_QUESTIONS.c.id.desc()))
            .label("place"),
        )
        .where(GAP_QUESTIONS.c.gap_id.in_(gap_ids))
        .subquery()
    )
    return (
        select(ranked.c.gap_id, ranked.c.question_key, ranked.c.question, TURNS.c.language, ranked.c.askings)
        .join(TURNS, TURNS.c.id == ranked.c.turn_id)
        .where(ranked.c.place == 1)
        .order_by(ranked.c.gap_id, ranked.c.question_key)
    )
