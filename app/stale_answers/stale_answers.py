"""Use cases of stale answers."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from app.agents.own_agent import reads_agent
from app.answers.curated.curated_answers import CuratedAnswers
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.setting import required
from app.core.text.stated_facts import numbers_in
from app.kit.wiring import Wired
from app.quality.golden_question import GoldenOrigin, GoldenQuestion
from app.quality.golden_questions import GoldenQuestions
from app.stale_answers.records import StaleAnswerRecords
from app.stale_answers.stale_answer import StaleAnswer, StaleFilter, StaleState, StaleSubject, StaleTurn
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

MAX_AT_ONCE: Final = 100
CHOSEN: Final = required(MAX_AT_ONCE)
MAX_TURNS: Final = 20  # shown, the latest
_ACTIONS = {
    StaleState.DISMISSED: "stale_answer.dismiss",
    StaleState.SETTLED: "stale_answer.settle",
    StaleState.OPEN: "stale_answer.reopen",
}

changes_of(
    "stale_answer",
    "Stale answer",
    "Stale answers",
    {"settle": "Stale answer settled", "dismiss": "Stale answer dismissed", "reopen": "Stale answer reopened"},
)


def open_stale_answers(tx: Transaction, agent_id: UUID, _: datetime) -> int:
    return StaleAnswerRecords(tx).open_count(agent_id)


class StaleAnswers(Wired):
    """Every method raises NotFound for an agent or stale answer that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _golden: GoldenQuestions
    _curated: CuratedAnswers

    @reads_agent
    def stale_answers(
        self, tx: Transaction, actor: Actor, agent_id: UUID, only: StaleFilter, page: PageRequest
    ) -> ListPage[StaleAnswer]:
        """Latest found first."""
        return StaleAnswerRecords(tx).page(agent_id, only, page)

    @reads
    def stale_answer(self, tx: Transaction, actor: Actor, agent_id: UUID, stale_id: UUID) -> StaleAnswer:
        return _own(tx, actor, agent_id, stale_id)

    @reads
    def latest_turns(self, tx: Transaction, actor: Actor, agent_id: UUID, stale_id: UUID) -> list[StaleTurn]:
        """The latest MAX_TURNS turns that gave the old answer from pages, latest first."""
        _own(tx, actor, agent_id, stale_id)
        return StaleAnswerRecords(tx).latest_turns(stale_id, MAX_TURNS)

    @writes
    def set_state(
        self, tx: Transaction, actor: Actor, agent_id: UUID, stale_ids: Sequence[UUID], state: StaleState
    ) -> list[StaleAnswer]:
        """All of them or none; returns them updated. Raises InvalidInput."""
        if not 1 <= len(stale_ids) <= MAX_AT_ONCE:
            raise InvalidInput("stale_answer_ids", f"Choose 1 to {MAX_AT_ONCE} stale answers.")
        for stale_id in stale_ids:
            _own(tx, actor, agent_id, stale_id)
        StaleAnswerRecords(tx).set_state(stale_ids, state)
        for stale_id in stale_ids:
            AuditRecords(tx).acted(actor, _ACTIONS[state], stale_id, agent_id=str(agent_id))
        return [_own(tx, actor, agent_id, stale_id) for stale_id in stale_ids]

    async def accept(self, actor: Actor, agent_id: UUID, stale_id: UUID, texts: Sequence[str]) -> GoldenQuestion:
        """The new answer is right: its question becomes a golden question whose answer must contain these texts, or the
        stale golden question gets them in place of its old words. Then the stale answer is settled. Raises
        InvalidInput, and settles nothing."""
        stale = await self.stale_answer(actor, agent_id, stale_id)
        if not texts:
            raise InvalidInput("answer_contains", "Enter what the answer must contain.")
        if stale.golden_question_id is not None:
            lost = set(stale.old_words.splitlines())

            def changed(golden: GoldenQuestion) -> GoldenQuestion:
                kept = (text for text in golden.answer_contains if text not in lost)
                return replace(
                    golden,
                    answer_contains=tuple(dict.fromkeys((*kept, *texts))),
                    answer_matches=tuple(pattern for pattern in golden.answer_matches if pattern not in lost),
                )

            golden = await self._golden.change(actor, agent_id, stale.golden_question_id, changed)
        else:
            is_visitors = stale.subject is StaleSubject.ANSWER
            question = stale.question if is_visitors else stale.question.splitlines()[0]
            origin = GoldenOrigin.CONVERSATION if is_visitors else GoldenOrigin.WRITTEN
            golden = await self._golden.create(
                actor,
                GoldenQuestion(uuid4(), agent_id, question, (stale.url,), origin=origin, answer_contains=tuple(texts)),
            )
        await self.set_state(actor, agent_id, [stale_id], StaleState.SETTLED)
        return golden

    async def rewrite(self, actor: Actor, agent_id: UUID, stale_id: UUID, answer: str) -> None:
        """Replace the curated answer's text and settle the stale answer. Raises InvalidInput; NotFound when its subject
        is no curated answer."""
        stale = await self.stale_answer(actor, agent_id, stale_id)
        if stale.curated_answer_id is None:
            raise NotFound("curated answer")
        await self._curated.change(actor, agent_id, stale.curated_answer_id, lambda old: replace(old, answer=answer))
        await self.set_state(actor, agent_id, [stale_id], StaleState.SETTLED)


def new_numbers(stale: StaleAnswer) -> list[str]:
    """Numbers that the page states now and did not before: suggestions for what a golden answer must contain."""
    return sorted(numbers_in(stale.new_words) - numbers_in(stale.old_words))


def _own(tx: Transaction, actor: Actor, agent_id: UUID, stale_id: UUID) -> StaleAnswer:
    stale = StaleAnswerRecords(tx).stale_answer(actor.workspace_id, stale_id)
    if stale.agent_id != agent_id:
        raise NotFound("stale answer")
    return stale
