"""What an assistant proposes of curated answers waits, is bounded, and is applied by a person alone."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import MAX_OPEN_PROPOSALS, CuratedAnswers, CuratedProposals
from app.core.actor import PROPOSE, READ, WRITE, Actor
from app.core.errors import InvalidInput, NotFound
from app.kit.pattern_matcher import PatternMatcher
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent


@dataclass
class Desk:
    answers: CuratedAnswers
    proposals: CuratedProposals
    assistant: Actor
    person: Actor
    agent: UUID

    async def written(self) -> CuratedAnswer:
        return await self.answers.create(self.person, self.answer("From 9 to 17."))

    def answer(self, text: str) -> CuratedAnswer:
        return CuratedAnswer(uuid4(), self.agent, Trigger.EXACT, "When are you open?", text)

    async def propose(self, answer: CuratedAnswer, text: str) -> int:
        proposal = await self.proposals.propose_change(
            self.assistant, self.agent, answer.id, lambda current: replace(current, answer=text)
        )
        return proposal.number

    async def stands(self, answer: CuratedAnswer) -> CuratedAnswer:
        return await self.answers.answer(self.person, self.agent, answer.id)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with temporary_record(tmp_path) as record:
        agent, patterns = new_agent(record), PatternMatcher()
        yield Desk(
            CuratedAnswers(record, patterns),
            CuratedProposals(record, patterns),
            Actor(agent.workspace_id, "assistant", frozenset({READ, PROPOSE})),
            Actor(agent.workspace_id, "ann@example.com", frozenset({READ, WRITE})),
            agent.id,
        )


async def test_a_new_answer_is_off_until_it_is_approved(desk: Desk) -> None:
    proposal = await desk.proposals.propose_new(desk.assistant, desk.answer("From 9 to 17."))
    assert proposal.changed == ("is_on",)
    assert not (await desk.stands(proposal.answer)).is_on
    await desk.proposals.approve(desk.person, desk.agent, proposal.answer.id, proposal.number)
    assert (await desk.stands(proposal.answer)).is_on
    history = await desk.answers.history(desk.person, desk.agent, proposal.answer.id)
    assert [edit.author for edit in history.items] == ["ann@example.com", "assistant"]


async def test_a_change_waits_beside_the_answer_as_it_is(desk: Desk) -> None:
    answer = await desk.written()
    await desk.propose(answer, "From 10 to 17.")
    assert await desk.stands(answer) == answer
    [waiting] = await desk.proposals.of_answer(desk.person, desk.agent, answer.id)
    assert (waiting.author, waiting.changed, waiting.answer.answer) == ("assistant", ("answer",), "From 10 to 17.")
    assert len((await desk.answers.history(desk.person, desk.agent, answer.id)).items) == 1


async def test_what_it_would_change_is_told_of_the_answer_as_it_stands_now(desk: Desk) -> None:
    answer = await desk.written()
    await desk.propose(answer, "From 10 to 17.")
    await desk.answers.change(desk.person, desk.agent, answer.id, lambda current: replace(current, priority=5))
    [waiting] = await desk.proposals.of_answer(desk.person, desk.agent, answer.id)
    assert set(waiting.changed) == {"answer", "priority"}


async def test_it_is_decided_once(desk: Desk) -> None:
    answer = await desk.written()
    first, second = await desk.propose(answer, "From 10 to 17."), await desk.propose(answer, "From 11 to 17.")
    await desk.proposals.decline(desk.person, desk.agent, answer.id, first)
    assert await desk.stands(answer) == answer
    await desk.proposals.approve(desk.person, desk.agent, answer.id, second)
    assert (await desk.stands(answer)).answer == "From 11 to 17."
    for number in (first, second, 1):
        with pytest.raises(NotFound):
            await desk.proposals.approve(desk.person, desk.agent, answer.id, number)


async def test_what_could_not_be_saved_cannot_be_proposed(desk: Desk) -> None:
    answer = await desk.written()
    with pytest.raises(InvalidInput, match="Nothing would change"):
        await desk.propose(answer, "From 9 to 17.")
    with pytest.raises(InvalidInput, match="answer"):
        await desk.propose(answer, "")
    with pytest.raises(InvalidInput, match="pattern"):
        await desk.proposals.propose_new(desk.assistant, replace(desk.answer("Yes."), pattern=""))


async def test_so_many_wait_and_no_more(desk: Desk) -> None:
    answer = await desk.written()
    for number in range(MAX_OPEN_PROPOSALS):
        await desk.propose(answer, f"From {number} on.")
    with pytest.raises(InvalidInput, match="already waiting"):
        await desk.propose(answer, "Never.")


async def test_another_workspaces_answer_is_absent(desk: Desk) -> None:
    answer = await desk.written()
    number = await desk.propose(answer, "From 10 to 17.")
    stranger = replace(desk.person, workspace_id=uuid4())
    for call in (
        desk.proposals.of_answer(stranger, desk.agent, answer.id),
        desk.proposals.approve(stranger, desk.agent, answer.id, number),
        desk.proposals.decline(stranger, desk.agent, answer.id, number),
        desk.proposals.propose_new(stranger, desk.answer("Yes.")),
        desk.proposals.propose_change(stranger, desk.agent, answer.id, lambda current: current),
    ):
        with pytest.raises(NotFound):
            await call
