"""Whoever takes over a conversation sees in a few words what the visitor wants."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.token_budget import UNLIMITED, WorkspaceTokens
from app.answers.hand_over_summaries import HandOverSummaries
from app.answers.token_meter import BudgetedChatModel
from app.conversations.hand_over import MOST_QUESTIONS, HandOver, hand_over_of
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.errors import ModelUnavailable, NotFound
from app.core.turn import AnsweredBy, Finish, TurnEnd, TurnRequest, TurnState, VisitorSession
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent, visitor_of
from tests.doubles.workspaces import another_workspace

WANTS = "Wants a lamp in Malta. Delivery is open."


@dataclass
class Counter:
    """Where people take conversations over."""

    record: SystemOfRecord
    clock: FixedClock
    session: VisitorSession
    model: ScriptedChatModel | None = field(default_factory=lambda: ScriptedChatModel((WANTS,)))
    together: WorkspaceTokens = UNLIMITED

    async def ask(self, question: str, how: AnsweredBy = AnsweredBy.EXTRACTIVE, answer: str = "Yes.") -> None:
        turn_id = uuid4()
        with self.record.writing() as tx:
            TurnRecords(tx).begin(self.session, TurnRequest(turn_id, question, "https://example.com/"), 1, "tests")
            end = TurnEnd(TurnState.DONE, answer, how, 0.9, how is AnsweredBy.FALLBACK, Finish.COMPLETE)
            TurnRecords(tx).finish(turn_id, end)
        self.clock.advance(1)

    async def sum_up(self) -> HandOver:
        model = self.model and BudgetedChatModel(self.model)
        summaries = HandOverSummaries(self.record, model, self.together)
        await summaries.sum_up(self.session.workspace_id, self.session.conversation_id)
        with self.record.reading() as tx:
            return hand_over_of(StoredTurnRecords(tx).of_conversation(self.session.conversation_id))

    def spent(self) -> int:
        with self.record.reading() as tx:
            return StoredTurnRecords(tx).tokens_since(self.session.agent_id, self.clock.now().date())


@pytest.fixture(params=[AgentConfig(name="Shop")])
async def counter(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Counter]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        agent = new_agent(record, request.param)
        yield Counter(record, clock, await visitor_of(record, agent.workspace_id, agent.id))


async def test_without_a_model_the_questions_stand_in_order_with_what_became_of_them(counter: Counter) -> None:
    counter.model = None
    await counter.ask("Hello!", AnsweredBy.SMALL_TALK)
    await counter.ask("Do you ship\nto Malta?")
    await counter.ask("How long does it take?", AnsweredBy.FALLBACK)
    await counter.ask("Can I talk to somebody?", AnsweredBy.HANDOFF)
    assert (await counter.sum_up()).in_words == (
        "Asked so far:\n"
        "1. Do you ship to Malta? (answered)\n"
        "2. How long does it take? (not answered)\n"
        "3. Can I talk to somebody? (handed over)"
    )


async def test_of_a_long_conversation_the_last_questions_are_shown_each_cut(counter: Counter) -> None:
    counter.model = None
    for number in range(MOST_QUESTIONS + 2):
        await counter.ask(f"{number} {'long ' * 100}")
    shown = (await counter.sum_up()).questions
    assert [each.text.split()[0] for each in shown] == [str(number) for number in range(2, MOST_QUESTIONS + 2)]
    assert {len(each.text) for each in shown} == {200}


async def test_a_model_sums_up_once_until_something_more_is_asked(counter: Counter) -> None:
    assert counter.model is not None
    await counter.ask("Do you ship to Malta?")
    assert (await counter.sum_up()).summary is None, "one question needs none"
    await counter.ask("How long does it take?", AnsweredBy.FALLBACK, "I could not find that.")
    await asyncio.gather(counter.sum_up(), counter.sum_up())
    assert (await counter.sum_up()).in_words == f"Summary by a chat model: {WANTS}"
    [[_, read]] = counter.model.requests
    assert "Visitor: How long does it take?\nAgent: I could not find that." in read.content
    assert counter.spent() == 15, "it counts towards the agent's limits"
    await counter.ask("And to Gozo?")
    await counter.sum_up()
    assert len(counter.model.requests) == 2


async def test_a_summary_has_three_sentences_at_most_and_no_personal_data(counter: Counter) -> None:
    counter.model = ScriptedChatModel(("Bo (bo@example.com) wants a lamp. Two. ", "Three. Four."))
    for question in ("Do you ship to Malta?", "I am bo@example.com, how long does it take?"):
        await counter.ask(question)
    assert (await counter.sum_up()).summary == "Bo ([email]) wants a lamp. Two. Three."


async def test_where_the_model_is_away_it_is_tried_once_and_the_questions_stay(counter: Counter) -> None:
    counter.model = ScriptedChatModel((ModelUnavailable("down"),))
    for question in ("Do you ship to Malta?", "How long does it take?"):
        await counter.ask(question)
    for _ in range(2):
        assert (await counter.sum_up()).in_words.startswith("Asked so far:\n1. Do you ship")
    assert len(counter.model.requests) == 1


@pytest.mark.parametrize("counter", [AgentConfig(name="Shop", chat_model="none")], indirect=True)
async def test_an_agent_that_only_quotes_sends_nothing_to_a_model(counter: Counter) -> None:
    assert counter.model is not None
    for question in ("Do you ship to Malta?", "How long does it take?"):
        await counter.ask(question)
    assert (await counter.sum_up()).summary is None
    assert counter.model.requests == []


async def test_where_the_tokens_are_used_up_there_is_none(counter: Counter) -> None:
    assert counter.model is not None
    counter.together = WorkspaceTokens(daily=10)
    for question in ("Do you ship to Malta?", "How long does it take?"):
        await counter.ask(question)
    await counter.sum_up()
    await counter.ask("And to Gozo?")
    await counter.sum_up()
    assert len(counter.model.requests) == 1


async def test_what_is_erased_or_of_another_workspace_is_not_read(counter: Counter, tmp_path: Path) -> None:
    assert counter.model is not None
    for question in ("Do you ship to Malta?", "How long does it take?"):
        await counter.ask(question)
    own = counter.session
    counter.session = replace(own, workspace_id=await another_workspace(tmp_path))
    with pytest.raises(NotFound):
        await counter.sum_up()
    with counter.record.writing() as tx:
        VisitorRecords(tx).erase(own.workspace_id, own.visitor_id)
    assert await counter.sum_up() == HandOver(())
    assert counter.model.requests == []
