"""Changes to curated answers that an assistant proposes, for a person to approve."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final
from uuid import UUID

from app.agents.own_agent import OwnAgent, reads_agent, writes_agent
from app.answers.curated.curated_answer import CuratedAnswer, CuratedEdit, changed_fields, written_of
from app.answers.curated.curated_answers import check_answer, save_answer
from app.answers.curated.records import CuratedAnswerRecords, CuratedEditRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.kit.pattern_matcher import PatternMatcher
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

MAX_OPEN_PROPOSALS: Final = 100  # of one agent

Change = Callable[[CuratedAnswer], CuratedAnswer]


class CuratedProposals:
    """What is proposed reaches no visitor before it is approved. Every method raises NotFound for an agent, answer or
    proposal that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, patterns: PatternMatcher) -> None:
        self._records = records
        self._patterns = patterns

    async def propose_new(self, actor: Actor, answer: CuratedAnswer) -> CuratedEdit:
        """The answer is there, off, and the proposal is to switch it on. Raises InvalidInput."""
        check_answer(answer, self._patterns)

        def work(tx: Transaction) -> CuratedEdit:
            created = CuratedAnswerRecords(tx).create(replace(answer, is_on=False))
            CuratedEditRecords(tx).keep(created, actor.name)
            return _propose(tx, actor, created, replace(created, is_on=True))

        return await OwnAgent(self._records, actor, answer.agent_id).write(work)

    @writes_agent
    def propose_change(
        self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID, change: Change
    ) -> CuratedEdit:
        """Raises InvalidInput, also where nothing would change."""
        current = CuratedAnswerRecords(tx).get(agent_id, answer_id)
        proposed = change(current)
        check_answer(proposed, self._patterns)
        return _propose(tx, actor, current, proposed)

    @reads_agent
    def of_answer(self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID) -> list[CuratedEdit]:
        """Those that wait, latest first, with what each would change of the answer as it stands now."""
        current = CuratedAnswerRecords(tx).get(agent_id, answer_id)
        return [_compared(each, current) for each in CuratedEditRecords(tx).proposals(answer_id)]

    @reads_agent
    def proposed(self, tx: Transaction, actor: Actor, agent_id: UUID) -> set[UUID]:
        """The agent's answers of which one waits."""
        return CuratedEditRecords(tx).proposed(agent_id)

    @writes_agent
    def approve(self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID, number: int) -> CuratedAnswer:
        """The answer is as it was proposed, by the approver's word."""
        current = CuratedAnswerRecords(tx).get(agent_id, answer_id)
        proposal = CuratedEditRecords(tx).take_proposal(answer_id, number)
        saved = save_answer(tx, actor, replace(current, **written_of(proposal.answer)), self._patterns)
        _decided(tx, actor, "curated_answer.approve", agent_id, answer_id, proposal)
        return saved

    @writes_agent
    def decline(self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID, number: int) -> None:
        """The answer stays as it is; one that was new stays off."""
        CuratedAnswerRecords(tx).get(agent_id, answer_id)
        proposal = CuratedEditRecords(tx).take_proposal(answer_id, number)
        _decided(tx, actor, "curated_answer.decline", agent_id, answer_id, proposal)


def _propose(tx: Transaction, actor: Actor, current: CuratedAnswer, proposed: CuratedAnswer) -> CuratedEdit:
    if not changed_fields(current, proposed):
        raise InvalidInput("", "Nothing would change: the answer already reads so.")
    if CuratedEditRecords(tx).count_proposals(current.agent_id) >= MAX_OPEN_PROPOSALS:
        raise InvalidInput("", f"{MAX_OPEN_PROPOSALS} proposals wait already: have a person approve or decline some.")
    proposal = CuratedEditRecords(tx).propose(proposed, actor.name)
    told = {"agent_id": str(current.agent_id), "number": proposal.number}
    AuditRecords(tx).acted(actor, "curated_answer.propose", current.id, **told)
    return _compared(proposal, current)


def _compared(proposal: CuratedEdit, current: CuratedAnswer) -> CuratedEdit:
    return replace(proposal, changed=changed_fields(current, proposal.answer))


def _decided(tx: Transaction, actor: Actor, verb: str, agent_id: UUID, answer_id: UUID, proposal: CuratedEdit) -> None:
    told = {"agent_id": str(agent_id), "number": proposal.number, "author": proposal.author}
    AuditRecords(tx).acted(actor, verb, answer_id, **told)
