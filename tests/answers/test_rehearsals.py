"""A curated answer is tried on the questions of the past before it is saved."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_matcher import CuratedMatcher
from app.answers.curated.records import CuratedAnswerRecords
from app.answers.curated.rehearsal import Rehearsal
from app.answers.curated.rehearsals import Rehearsals
from app.conversations.records.turns import TurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import EmbedderUnavailable, InvalidInput, NotFound
from app.core.turn import GapReason, VisitorSession
from app.kit.pattern_matcher import PatternMatcher
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of_new_agent
from tests.store.sample_rows import ask

DAY = 24 * 3600
LOW = GapReason.LOW_CONFIDENCE


@dataclass
class Stage:
    record: SystemOfRecord
    clock: FixedClock
    actor: Actor
    session: VisitorSession
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)

    def rehearsals(self, budget_seconds: float = 10) -> Rehearsals:
        matcher = CuratedMatcher(self.record, PatternMatcher(), self.embedder)
        return Rehearsals(self.record, matcher, PatternMatcher(), self.clock, budget_seconds)

    def answer(self, trigger: Trigger, pattern: str, **more: Any) -> CuratedAnswer:
        return CuratedAnswer(uuid4(), self.session.agent_id, trigger, pattern, "Yes.", **more)

    async def saved(self, trigger: Trigger, pattern: str, **more: Any) -> CuratedAnswer:
        self.clock.advance(60)
        return await self.record.write(
            lambda tx: CuratedAnswerRecords(tx).create(self.answer(trigger, pattern, **more))
        )

    async def ask(self, question: str, rating: str = "", **end: Any) -> UUID:
        turn_id = await ask(self.record, self.session, question, **end)
        if rating:
            await self.record.write(lambda tx: TurnRecords(tx).feedback(self.session, turn_id, rating, ""))
        return turn_id

    async def rehearse(self, answer: CuratedAnswer, replaces: UUID | None = None) -> Rehearsal:
        return await self.rehearsals().rehearse(self.actor, answer, replaces)


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        session = await visitor_of_new_agent(record)
        yield Stage(record, clock, Actor(session.workspace_id, "ann", frozenset((READ, WRITE))), session)


def questions(rehearsal: Rehearsal) -> list[str]:
    return [each.turn.asked.question for each in rehearsal.taken]


async def test_it_would_have_taken_the_questions_that_fit_it_and_no_older_ones(stage: Stage) -> None:
    await stage.ask("Is a refund possible? (long ago)", gap=LOW)
    stage.clock.advance(31 * DAY)
    await stage.ask("Is a refund possible?", gap=LOW)
    await stage.ask("What does it cost?", gap=LOW)
    rehearsal = await stage.rehearse(stage.answer(Trigger.PHRASE, "refund"))
    assert (questions(rehearsal), rehearsal.looked_at) == (["Is a refund possible?"], 2)
    assert (rehearsal.is_complete, rehearsal.taken_from_good_answers) == (True, ())


@pytest.mark.parametrize(
    ("rating", "end", "is_good"),
    [
        pytest.param("", {}, True, id="a sure answer"),
        pytest.param("", {"gap": LOW}, False, id="an unsure answer"),
        pytest.param("down", {}, False, id="a sure answer with a thumb down"),
        pytest.param("up", {"gap": LOW}, True, id="an unsure answer with a thumb up"),
    ],
)
async def test_it_says_where_it_would_take_a_good_answers_place(
    stage: Stage, rating: str, end: dict[str, Any], is_good: bool
) -> None:
    await stage.ask("Is a refund possible?", rating, **end)
    rehearsal = await stage.rehearse(stage.answer(Trigger.REGEX, r"refunds?\b"))
    assert len(rehearsal.taken) == 1
    assert len(rehearsal.taken_from_good_answers) == is_good


async def test_it_takes_questions_from_an_answer_that_it_comes_before(stage: Stage) -> None:
    old = await stage.saved(Trigger.PHRASE, "refund")
    await stage.ask("Is a refund possible?")
    rehearsal = await stage.rehearse(stage.answer(Trigger.PHRASE, "possible", priority=1))
    assert [(one.answer.id, one.askings) for one in rehearsal.shadows] == [(old.id, 1)]
    assert rehearsal.shadowed_by == ()


async def test_an_answer_that_comes_first_keeps_questions_from_it(stage: Stage) -> None:
    old = await stage.saved(Trigger.PHRASE, "refund")
    await stage.ask("Is a refund possible?")
    rehearsal = await stage.rehearse(stage.answer(Trigger.PHRASE, "possible"))
    assert (len(rehearsal.fitting), rehearsal.taken) == (1, ())
    assert [(one.answer.id, one.askings) for one in rehearsal.shadowed_by] == [(old.id, 1)]


async def test_patterns_alone_show_an_overlap_that_nobody_has_asked_for_yet(stage: Stage) -> None:
    exact = await stage.saved(Trigger.EXACT, "Is a refund possible?", page_prefix="/help")
    above = await stage.rehearse(stage.answer(Trigger.PHRASE, "refund", priority=1))
    assert [(one.answer.id, one.askings) for one in above.shadows] == [(exact.id, 0)]
    below = await stage.rehearse(stage.answer(Trigger.EXACT, "is a refund possible", page_prefix="/help"))
    assert [(one.answer.id, one.askings) for one in below.shadowed_by] == [(exact.id, 0)]


async def test_a_meaning_is_compared_with_every_question(stage: Stage) -> None:
    await stage.ask("my money back, how do I get it")
    await stage.ask("what is the weather")
    await stage.saved(Trigger.SEMANTIC, "what is the time")
    answer = stage.answer(Trigger.SEMANTIC, "how do I get my money back")
    assert questions(await stage.rehearse(answer)) == ["my money back, how do I get it"]
    stage.embedder.is_down = True
    with pytest.raises(EmbedderUnavailable):
        await stage.rehearse(replace(answer, pattern="may I return it"))


async def test_an_edited_answer_is_tried_in_its_own_place(stage: Stage) -> None:
    old = await stage.saved(Trigger.PHRASE, "refund")
    await stage.saved(Trigger.PHRASE, "possible")
    await stage.ask("Is a refund possible?", curated_answer_id=old.id)
    rehearsal = await stage.rehearse(stage.answer(Trigger.ANY_OF, "refund\nmoney back"), replaces=old.id)
    assert len(rehearsal.shadowed_by) == 1  # a phrase comes before any of several
    rehearsal = await stage.rehearse(stage.answer(Trigger.PHRASE, "a refund"), replaces=old.id)
    assert (len(rehearsal.taken), rehearsal.taken_from_good_answers) == (1, ())
    with pytest.raises(NotFound):
        await stage.rehearse(stage.answer(Trigger.PHRASE, "refund"), replaces=uuid4())


async def test_it_ends_when_its_time_is_over_and_says_so(stage: Stage) -> None:
    for number in range(40):
        await stage.ask(f"Is a refund possible? {number}")
    rehearsal = await stage.rehearsals(0).rehearse(stage.actor, stage.answer(Trigger.PHRASE, "refund"))
    assert (rehearsal.looked_at, rehearsal.is_complete) == (32, False)


async def test_what_could_not_be_saved_is_not_rehearsed(stage: Stage) -> None:
    with pytest.raises(InvalidInput, match="pattern"):
        await stage.rehearse(stage.answer(Trigger.REGEX, "(?<!x)y"))
