"""Operators find the conversation that they look for, and make something of its turns."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.answers.curated.curated_answer import Trigger
from app.conversations.conversation import ConversationFilter
from app.conversations.inbox import ConversationReview
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy, Citation, GapReason, GapState, VisitorSession
from app.gaps.records.gaps import GapRecords
from app.gaps.turn_review import TurnReview
from app.kit.pattern_matcher import PatternMatcher
from app.quality.golden_question import GoldenOrigin
from app.quality.golden_questions import GoldenQuestions
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent, visitor_of
from tests.store.sample_rows import ask

LOW = GapReason.LOW_CONFIDENCE


@dataclass
class Desk:
    record: SystemOfRecord
    clock: FixedClock
    actor: Actor
    agent: UUID

    @property
    def review(self) -> TurnReview:
        return TurnReview(self.record, GoldenQuestions(self.record, PatternMatcher()))

    async def visitor(self) -> VisitorSession:
        return await visitor_of(self.record, self.actor.workspace_id, self.agent)

    async def ask(self, question: str, answer: str = "Yes.", rating: str = "", **end: Any) -> UUID:
        self.clock.advance(60)
        session = await self.visitor()
        turn_id = await ask(self.record, session, question, answer=answer, **end)
        if rating:
            await self.record.write(lambda tx: TurnRecords(tx).feedback(session, turn_id, rating, "Too long."))
        return turn_id

    async def found(self, **only: Any) -> list[str]:
        """First questions of what is listed, read one a page."""
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = await ConversationReview(self.record).conversations(
                self.actor, self.agent, PageRequest(1, cursor), ConversationFilter(**only)
            )
            found += [entry.conversation.first_question for entry in page.items]
            cursor = page.next_cursor
            if cursor is None:
                return found


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        agent = new_agent(record)
        yield Desk(record, clock, Actor(agent.workspace_id, "ann", frozenset((READ, WRITE))), agent.id)


async def test_words_are_looked_for_in_questions_and_answers(desk: Desk) -> None:
    await desk.ask("Is SHIPPING free?", "From 50 euros on.")
    await desk.ask("Wo ist die ÜBERSICHT?", "100% hier.")
    await desk.ask("What else?", "Nothing.")
    assert await desk.found() == ["What else?", "Wo ist die ÜBERSICHT?", "Is SHIPPING free?"]
    for text in ("shipping", "euros shipping", "ship FREE"):
        assert await desk.found(text=text) == ["Is SHIPPING free?"]
    for text in ("übersicht", "100%", "% hier"):
        assert await desk.found(text=text) == ["Wo ist die ÜBERSICHT?"]
    assert await desk.found(text="shipping hier") == []
    assert await desk.found(text="0_ hier") == []


async def test_one_turn_must_fit_everything(desk: Desk) -> None:
    start = desk.clock.now()
    await desk.ask("Unsure?", gap=LOW)
    await desk.ask("Disliked?", rating="down")
    await desk.ask("Liked?", rating="up")
    middle = desk.clock.now() - timedelta(seconds=90)
    wanted: dict[str, tuple[dict[str, Any], ...]] = {
        "Unsure?": ({"is_low": True}, {"until": start + timedelta(seconds=61)}),
        "Disliked?": ({"rating": "down"}, {"is_low": False, "text": "disliked"}),
        "Liked?": ({"rating": "up"}, {"since": middle, "text": "liked", "rating": "up"}),
    }
    for question, filters in wanted.items():
        for only in filters:
            assert await desk.found(**only) == [question], only
    assert len(await desk.found(answered_by=AnsweredBy.MODEL)) == 3
    assert await desk.found(answered_by=AnsweredBy.CURATED) == []
    assert await desk.found(is_low=True, rating="up") == []


async def test_what_was_erased_is_found_no_more(desk: Desk) -> None:
    await desk.ask("Is shipping free?")
    with desk.record.reading() as tx:
        [entry] = InboxRecords(tx).page(desk.agent, PageRequest()).items
    with desk.record.writing() as tx:
        VisitorRecords(tx).erase(desk.actor.workspace_id, entry.conversation.visitor_id)
    assert await desk.found(text="shipping") == []


@pytest.mark.parametrize("text", ["a b c d e f g h i", "x" * 201], ids=["too many words", "too long"])
async def test_a_search_is_bounded(desk: Desk, text: str) -> None:
    with pytest.raises(InvalidInput, match="q"):
        await desk.found(text=text)


async def test_a_thread_shows_what_the_visitor_thought_of_it(desk: Desk) -> None:
    turn_id = await desk.ask("Is shipping free?", rating="down", language="en")
    with desk.record.reading() as tx:
        turn = StoredTurnRecords(tx).find(turn_id)
    assert turn is not None
    assert (turn.rating, turn.comment, turn.language) == ("down", "Too long.", "en")


async def test_a_flagged_turn_is_a_gap_once(desk: Desk) -> None:
    turn_id = await desk.ask("Write to ann@example.com?")
    for _ in range(2):
        gap = await desk.review.flag(desk.actor, turn_id)
        assert (gap.question, gap.count, gap.reason) == ("Write to [email]?", 1, GapReason.FLAGGED)


async def test_a_flag_opens_a_closed_gap(desk: Desk) -> None:
    gap = await desk.review.flag(desk.actor, await desk.ask("Is shipping free?"))
    with desk.record.writing() as tx:
        GapRecords(tx).set_state(desk.actor.workspace_id, gap.id, GapState.RESOLVED, "")
    again = await desk.review.flag(desk.actor, await desk.ask("is shipping free"))
    assert (again.id, again.state, again.count) == (gap.id, GapState.OPEN, 2)


async def test_the_gaps_of_turns_are_those_of_ones_own_workspace(desk: Desk) -> None:
    turn_id, other = await desk.ask("Is shipping free?"), await desk.ask("And to Malta?")
    gap = await desk.review.flag(desk.actor, turn_id)
    assert await desk.review.gaps_of(desk.actor, [turn_id, other]) == {turn_id: gap}
    assert await desk.review.gaps_of(replace(desk.actor, workspace_id=uuid4()), [turn_id, other]) == {}


async def test_a_question_without_words_is_not_flagged(desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="no word"):
        await desk.review.flag(desk.actor, await desk.ask("?!"))


async def test_a_turn_pre_fills_a_curated_answer(desk: Desk) -> None:
    turn_id = await desk.ask("Call\n+49 170 1234567?", "Yes [1], from 9 to 17 [2][3].", language="de")
    draft = await desk.review.curated_draft(desk.actor, turn_id)
    assert (draft.trigger, draft.pattern, draft.answer) == (Trigger.SEMANTIC, "Call [phone]?", "Yes, from 9 to 17.")
    assert draft.language == "de"


async def test_a_turn_becomes_a_golden_question_with_the_pages_that_it_cites(desk: Desk) -> None:
    cited = tuple(
        Citation(number, url, "Shipping", None)
        for number, url in enumerate(("https://a.example/ship#cost", "https://a.example/ship", "urn:note"), start=1)
    )
    turn_id = await desk.ask("Is shipping free?", citations=cited)
    golden = await desk.review.make_golden(desk.actor, turn_id)
    assert (golden.question, golden.pages) == ("Is shipping free?", ("https://a.example/ship",))
    assert golden.origin is GoldenOrigin.CONVERSATION
    again = await desk.review.make_golden(desk.actor, turn_id, ["https://a.example/other"])
    assert (again.id, again.pages) == (golden.id, ("https://a.example/other",))
