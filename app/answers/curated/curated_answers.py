"""Curated answers: what operators do with them, what assistants propose for a person to approve, and in which
conversations and how often they were used lately."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final
from uuid import UUID

from app.agents.own_agent import OwnAgent, reads_agent, writes_agent
from app.agents.records import AgentRecords
from app.answers.curated.curated_answer import (
    EVERY_ANSWER,
    MAX_PATTERNS,
    PATTERN_LINE,
    CuratedAnswer,
    CuratedEdit,
    CuratedFilter,
    Trigger,
    changed_fields,
    check_places,
    with_changes,
    written_of,
)
from app.answers.curated.records import KEPT_EDITS, CuratedAnswerRecords, CuratedEditRecords
from app.answers.past_turn import PastTurn
from app.answers.records import PastTurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.field_rules import check_language
from app.core.list_page import ListPage, PageRequest, page_of
from app.core.setting import check_limits
from app.core.text.words import normalised
from app.kit.clock import Clock
from app.kit.pattern_matcher import PatternMatcher
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

_WHOLE_HISTORY = PageRequest(KEPT_EDITS)
MAX_OPEN_PROPOSALS: Final = 100  # of one agent

Change = Callable[[CuratedAnswer], CuratedAnswer]

changes_of(
    "curated_answer",
    "Curated answer",
    "Curated answers",
    {
        "create": "Curated answer written",
        "edit": "Curated answer changed",
        "delete": "Curated answer deleted",
        "restore": "Curated answer restored",
        "propose": "Curated answer proposed",
        "approve": "Proposed answer approved",
        "decline": "Proposed answer declined",
    },
)


class CuratedAnswers(Wired):
    """Every method raises NotFound for an agent or answer that is absent or another workspace's."""

    _records: SystemOfRecord
    _patterns: PatternMatcher

    async def create(self, actor: Actor, answer: CuratedAnswer) -> CuratedAnswer:
        """Raises InvalidInput."""
        check_answer(answer, self._patterns)

        def work(tx: Transaction) -> CuratedAnswer:
            created = CuratedAnswerRecords(tx).create(answer)
            CuratedEditRecords(tx).keep(created, actor.name)
            AgentRecords(tx).bump_generation(answer.agent_id)
            AuditRecords(tx).acted(actor, "curated_answer.create", created.id, agent_id=str(answer.agent_id))
            return created

        return await OwnAgent(self._records, actor, answer.agent_id).write(work)

    @reads_agent
    def answers(
        self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest, only: CuratedFilter = EVERY_ANSWER
    ) -> ListPage[CuratedAnswer]:
        """Oldest first."""
        fitting = [each for each in CuratedAnswerRecords(tx).answers(agent_id) if only.fits(each)]
        if only.is_proposed:
            proposed = CuratedEditRecords(tx).proposed(agent_id)
            fitting = [each for each in fitting if each.id in proposed]
        return page_of(fitting, page, lambda answer: str(answer.id))

    @reads_agent
    def answer(self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID) -> CuratedAnswer:
        return CuratedAnswerRecords(tx).answer(agent_id, answer_id)

    @writes_agent
    def change(
        self,
        tx: Transaction,
        actor: Actor,
        agent_id: UUID,
        answer_id: UUID,
        change: Callable[[CuratedAnswer], CuratedAnswer],
    ) -> CuratedAnswer:
        """Save what `change` makes of the answer. Raises InvalidInput."""
        current = CuratedAnswerRecords(tx).answer(agent_id, answer_id)
        saved = save_answer(tx, actor, change(current), self._patterns)
        AuditRecords(tx).acted(actor, "curated_answer.edit", answer_id, agent_id=str(agent_id))
        return saved

    @reads_agent
    def history(
        self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID, page: PageRequest = _WHOLE_HISTORY
    ) -> ListPage[CuratedEdit]:
        """Latest first."""
        CuratedAnswerRecords(tx).answer(agent_id, answer_id)
        edits = with_changes(CuratedEditRecords(tx).of_answer(answer_id))
        return page_of(edits, page, lambda edit: str(edit.number))

    @writes_agent
    def restore(self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID, number: int) -> CuratedAnswer:
        """Save the answer as edit `number` left it, on or off, as a new edit. Raises NotFound if it is not kept."""
        current = CuratedAnswerRecords(tx).answer(agent_id, answer_id)
        then = CuratedEditRecords(tx).edit(answer_id, number).answer
        saved = save_answer(tx, actor, replace(current, **written_of(then)), self._patterns)
        AuditRecords(tx).acted(actor, "curated_answer.restore", answer_id, agent_id=str(agent_id), number=number)
        return saved

    @writes_agent
    def delete(self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID) -> None:
        CuratedAnswerRecords(tx).delete(agent_id, answer_id)
        AgentRecords(tx).bump_generation(agent_id)
        AuditRecords(tx).acted(actor, "curated_answer.delete", answer_id, agent_id=str(agent_id))


def save_answer(tx: Transaction, actor: Actor, answer: CuratedAnswer, patterns: PatternMatcher) -> CuratedAnswer:
    """Save the answer; the caller audits why. Raises InvalidInput and NotFound."""
    check_answer(answer, patterns)
    saved = CuratedAnswerRecords(tx).save(answer)
    CuratedEditRecords(tx).keep(saved, actor.name)
    AgentRecords(tx).bump_generation(answer.agent_id)
    return saved


def check_answer(answer: CuratedAnswer, patterns: PatternMatcher) -> None:
    """Raises InvalidInput, naming the field and the fix."""
    check_language("language", answer.language)
    check_limits("", answer)
    _check_pattern(answer, patterns)
    check_places(answer.answer)
    if answer.page_prefix and not answer.page_prefix.startswith("/"):
        raise InvalidInput("page_prefix", 'Enter a path that begins with "/", such as "/pricing".')
    _check_expiry(answer.expires_at)


def _check_expiry(expires_at: datetime | None) -> None:
    if expires_at is None:
        return
    if expires_at.tzinfo is None:
        raise InvalidInput("expires_at", 'Add the time zone, such as "2027-01-31T12:00:00Z".')
    try:
        expires_at.astimezone(UTC)
    except OverflowError:
        raise InvalidInput("expires_at", "This date does not exist. Choose another one.") from None


def _check_pattern(answer: CuratedAnswer, patterns: PatternMatcher) -> None:
    if answer.trigger is Trigger.REGEX:
        PATTERN_LINE.check("pattern", answer.pattern)
        if problem := patterns.problem(answer.pattern):
            raise InvalidInput("pattern", problem)
        return
    if len(answer.patterns) > MAX_PATTERNS:
        raise InvalidInput("pattern", f"This has {len(answer.patterns)} lines. Use at most {MAX_PATTERNS}.")
    for line in answer.patterns:
        PATTERN_LINE.check("pattern", line)
        if not normalised(line):
            raise InvalidInput("pattern", f"{line!r} contains no word to match. Enter words from the question.")


LATELY_DAYS: Final = 30
_WEEK: Final = timedelta(days=7)
_LATELY: Final = timedelta(days=LATELY_DAYS)


@dataclass(frozen=True, slots=True)
class CuratedUses:
    """The turns of one answer, latest first, and counts over 7 and LATELY_DAYS days, the latter with ratings."""

    turns: ListPage[PastTurn]
    last_week: Annotated[int, "Turns that it answered, except erased ones."]
    lately: int
    thumbs_up: Annotated[int, "In the last 30 days."]
    thumbs_down: int


class CuratedUse(Wired):
    """Counts turns that are still stored: unlike an answer's `hits`, without those that were erased or have expired.
    Every method raises NotFound for an agent or answer that is absent or another workspace's."""

    _records: SystemOfRecord
    _clock: Clock

    @reads_agent
    def of_answer(
        self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID, page: PageRequest
    ) -> CuratedUses:
        CuratedAnswerRecords(tx).answer(agent_id, answer_id)
        now = self._clock.now()
        turns = PastTurnRecords(tx)
        ratings = turns.curated_ratings(agent_id, answer_id, now - _LATELY)
        return CuratedUses(
            turns.of_curated(answer_id, page),
            turns.curated_counts([answer_id], now - _WEEK).get(answer_id, 0),
            turns.curated_counts([answer_id], now - _LATELY).get(answer_id, 0),
            ratings.get("up", 0),
            ratings.get("down", 0),
        )

    @reads_agent
    def lately(self, tx: Transaction, actor: Actor, agent_id: UUID) -> dict[UUID, int]:
        """For each of the agent's answers, how many turns it answered in the last LATELY_DAYS days, including none."""
        ids = [answer.id for answer in CuratedAnswerRecords(tx).answers(agent_id)]
        return dict.fromkeys(ids, 0) | PastTurnRecords(tx).curated_counts(ids, self._clock.now() - _LATELY)


class CuratedProposals(Wired):
    """Proposals, which visitors do not see before they are approved. Every method raises NotFound for an agent, answer
    or proposal that is absent or another workspace's."""

    _records: SystemOfRecord
    _patterns: PatternMatcher

    async def propose_new(self, actor: Actor, answer: CuratedAnswer) -> CuratedEdit:
        """Store the answer, off, with a proposal to switch it on. Raises InvalidInput."""
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
        """Raises InvalidInput, also if nothing would change."""
        current = CuratedAnswerRecords(tx).answer(agent_id, answer_id)
        proposed = change(current)
        check_answer(proposed, self._patterns)
        return _propose(tx, actor, current, proposed)

    @reads_agent
    def of_answer(self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID) -> list[CuratedEdit]:
        """Open proposals, latest first, with what each would change in the present answer."""
        current = CuratedAnswerRecords(tx).answer(agent_id, answer_id)
        return [_compared(each, current) for each in CuratedEditRecords(tx).proposals(answer_id)]

    @reads_agent
    def proposed(self, tx: Transaction, actor: Actor, agent_id: UUID) -> set[UUID]:
        """The agent's answers that have an open proposal."""
        return CuratedEditRecords(tx).proposed(agent_id)

    @writes_agent
    def approve(self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID, number: int) -> CuratedAnswer:
        """Make the answer what was proposed, as an edit by the approver."""
        current = CuratedAnswerRecords(tx).answer(agent_id, answer_id)
        proposal = CuratedEditRecords(tx).take_proposal(answer_id, number)
        saved = save_answer(tx, actor, replace(current, **written_of(proposal.answer)), self._patterns)
        _decided(tx, actor, "curated_answer.approve", agent_id, answer_id, proposal)
        return saved

    @writes_agent
    def decline(self, tx: Transaction, actor: Actor, agent_id: UUID, answer_id: UUID, number: int) -> None:
        """The answer stays as it is; one that was new stays off."""
        CuratedAnswerRecords(tx).answer(agent_id, answer_id)
        proposal = CuratedEditRecords(tx).take_proposal(answer_id, number)
        _decided(tx, actor, "curated_answer.decline", agent_id, answer_id, proposal)


def _propose(tx: Transaction, actor: Actor, current: CuratedAnswer, proposed: CuratedAnswer) -> CuratedEdit:
    if not changed_fields(current, proposed):
        raise InvalidInput("", "Nothing would change: the answer already reads like this.")
    if CuratedEditRecords(tx).count_proposals(current.agent_id) >= MAX_OPEN_PROPOSALS:
        raise InvalidInput("", f"{MAX_OPEN_PROPOSALS} proposals are already waiting. Have some approved or declined.")
    proposal = CuratedEditRecords(tx).propose(proposed, actor.name)
    details = {"agent_id": str(current.agent_id), "number": proposal.number}
    AuditRecords(tx).acted(actor, "curated_answer.propose", current.id, **details)
    return _compared(proposal, current)


def _compared(proposal: CuratedEdit, current: CuratedAnswer) -> CuratedEdit:
    return replace(proposal, changed=changed_fields(current, proposal.answer))


def _decided(tx: Transaction, actor: Actor, verb: str, agent_id: UUID, answer_id: UUID, proposal: CuratedEdit) -> None:
    details = {"agent_id": str(agent_id), "number": proposal.number, "author": proposal.author}
    AuditRecords(tx).acted(actor, verb, answer_id, **details)
