"""The limits of tokens: counted over all calls of turns, checked before every one of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.agents.retrieval_settings import RetrievalSettings
from app.agents.token_budget import UNLIMITED, WorkspaceTokens
from app.answers.token_meter import BudgetedChatModel, TokenMeter
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import READ, Actor
from app.core.costs import TokenPrices
from app.core.errors import ModelUnavailable
from app.core.turn import AnsweredBy, Finish, TokenUsage, TurnRequest
from app.core.turn_events import Done, Token
from app.providers.chat.chat_model import ChatMessage
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step
from tests.doubles.statements import statements
from tests.every_row import every_row

QUESTION = "How long may I return a lamp?"
TURN_TOKENS = 15  # of the scripted model, for each call
DAY = 24 * 3600
CANARY = "ZXQBCDFGHJKLMNPQ"


@asynccontextmanager
async def a_house(
    folder: Path, model: ScriptedChatModel, daily_tokens: int | None, **retrieval: Any
) -> AsyncIterator[AnsweringHouse]:
    config = AgentConfig("Lamps", daily_tokens=daily_tokens, retrieval=RetrievalSettings(**retrieval))
    async with answering_house(folder, model=model, config=config) as house:
        yield house


async def answered_by(house: AnsweringHouse, question: str = QUESTION) -> AnsweredBy:
    done = (await house.ask(question))[-1]
    assert isinstance(done, Done)
    return done.answered_by


async def used(house: AnsweringHouse) -> int:
    return await house.record.read(
        lambda tx: StoredTurnRecords(tx).tokens_since(house.agent_id, house.clock.now().date())
    )


async def test_past_the_budget_the_pages_answer_and_the_model_is_not_asked(tmp_path: Path) -> None:
    model = ScriptedChatModel(("Within 30 days [1].",))
    async with a_house(tmp_path, model, 2 * TURN_TOKENS) as house:
        answers = [await answered_by(house) for _ in range(4)]
        assert answers == [AnsweredBy.MODEL, AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE, AnsweredBy.EXTRACTIVE]
        assert len(model.requests) == 2
        assert (await house.stored_turn()).trace["budget"] == "spent"


async def test_no_call_of_a_turn_is_made_past_it(tmp_path: Path) -> None:
    """Neither for search, nor for ranking, nor for writing."""
    model = ScriptedChatModel(('{"queries": ["lamp returns"], "answer": "30 days"}',))
    async with a_house(tmp_path, model, 0, extra_queries=2, hypothetical_answer=True, model_searches=2) as house:
        assert await answered_by(house) is AnsweredBy.EXTRACTIVE
        assert model.requests == []


async def test_every_call_of_a_turn_counts(tmp_path: Path) -> None:
    model = ScriptedChatModel(('{"queries": ["lamp returns"]}',), ("Within 30 days [1].",))
    async with a_house(tmp_path, model, None, extra_queries=1) as house:
        assert await answered_by(house) is AnsweredBy.MODEL
        assert len(model.requests) == 2
        assert await used(house) == 2 * TURN_TOKENS


async def test_at_midnight_utc_it_begins_anew(tmp_path: Path) -> None:
    async with a_house(tmp_path, ScriptedChatModel(("Within 30 days [1].",)), TURN_TOKENS) as house:
        house.clock.advance(12 * 3600 - 1)  # one second before it
        assert [await answered_by(house) for _ in range(2)] == [AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE]
        house.clock.advance(1)
        assert [await answered_by(house) for _ in range(2)] == [AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE]


async def test_turns_at_the_same_time_go_beyond_by_what_they_cost_themselves(tmp_path: Path) -> None:
    count, go_on = 8, anyio.Event()
    model = ScriptedChatModel(("Within 30 days", go_on, " [1]."))
    async with a_house(tmp_path, model, TURN_TOKENS) as house:
        agent = await house.live_agent()
        requests: list[TurnRequest] = [house.request(QUESTION) for _ in range(count)]
        sessions = [(await house.conversations.open(agent, None)).session for _ in range(count)]
        asked = await asyncio.gather(
            *(house.turns.ask(session, request) for session, request in zip(sessions, requests, strict=True))
        )
        streams = [live.events() for live in asked]
        for stream in streams:  # every one of them has begun to write
            async for numbered in stream:
                if isinstance(numbered.event, Token):
                    break
        go_on.set()
        for stream in streams:
            async for _ in stream:
                pass
        assert len(model.requests) == count
        assert await used(house) == count * TURN_TOKENS
        assert await answered_by(house) is AnsweredBy.EXTRACTIVE
        assert len(model.requests) == count


async def test_an_answer_that_a_visitor_stops_is_not_free(tmp_path: Path) -> None:
    model = ScriptedChatModel(("Within 30 days", anyio.Event()))
    async with a_house(tmp_path, model, 10) as house:
        request = house.request(QUESTION)
        live = await house.turns.ask(house.session, request)
        async for numbered in live.events():
            if isinstance(numbered.event, Token):
                await house.turns.stop(house.session, request.turn_id)
        assert await used(house) > 100  # the prompt alone
        assert await answered_by(house) is AnsweredBy.EXTRACTIVE


@pytest.mark.parametrize(
    ("written", "finish"),
    [
        pytest.param(["Within 30 days you may return it. "] * 9, Finish.LENGTH, id="at its length"),
        pytest.param([CANARY, " and more"], Finish.CONTENT_FILTER, id="at what must not leave"),
    ],
)
async def test_an_answer_that_the_guard_cuts_is_not_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: list[Step], finish: Finish
) -> None:
    monkeypatch.setattr("app.answers.answer_pipeline.new_canary", lambda: CANARY)
    model = ScriptedChatModel([*written, anyio.Event()])
    config = AgentConfig("Lamps", daily_tokens=10, max_answer_chars=100)
    async with answering_house(tmp_path, model=model, config=config) as house:
        done = (await house.ask(QUESTION))[-1]
        assert isinstance(done, Done)
        assert done.finish is finish
        assert model.closed == 1
        assert await used(house) > 100  # the prompt alone
        assert await answered_by(house) is AnsweredBy.EXTRACTIVE


async def test_erasing_a_visitor_does_not_give_tokens_back(tmp_path: Path) -> None:
    async with a_house(tmp_path, ScriptedChatModel(("Within 30 days [1].",)), TURN_TOKENS) as house:
        await answered_by(house)
        with house.record.writing() as tx:
            VisitorRecords(tx).erase(house.workspace_id, house.session.visitor_id)
        assert await used(house) == TURN_TOKENS


async def test_operators_see_it(tmp_path: Path) -> None:
    async with a_house(tmp_path, ScriptedChatModel(("Within 30 days [1].",)), TURN_TOKENS) as house:
        budgets = TokenBudgets(house.record, TokenPrices(), UNLIMITED)
        ann = Actor(house.workspace_id, "ann", frozenset((READ,)))
        before = await budgets.budget(ann, house.agent_id)
        await answered_by(house)
        after = await budgets.budget(ann, house.agent_id)
        assert (before.used_tokens, before.is_spent, after.used_tokens, after.is_spent) == (0, False, TURN_TOKENS, True)
        assert (after.resets_at - house.clock.now()).total_seconds() == DAY / 2


async def test_another_agent_has_its_own(tmp_path: Path) -> None:
    async with a_house(tmp_path, ScriptedChatModel(("Within 30 days [1].",)), TURN_TOKENS) as house:
        await answered_by(house)
        with house.record.writing() as tx:
            draft = AgentRecords(tx).agent(house.workspace_id, house.agent_id).draft
            other = AgentRecords(tx).create(house.workspace_id, replace(draft, name="Other"))
            AgentRecords(tx).publish(house.workspace_id, other.id)
            live = AgentRecords(tx).live(other.id)
        house.session = (await house.conversations.open(live, None)).session
        # It has no page of its own, and its model may still be asked.
        assert await answered_by(house) is AnsweredBy.MODEL


async def test_a_month_has_a_limit_of_its_own(tmp_path: Path) -> None:
    config = AgentConfig("Lamps", daily_tokens=100, monthly_tokens=TURN_TOKENS)
    async with answering_house(tmp_path, model=ScriptedChatModel(("Within 30 days [1].",)), config=config) as house:
        answers = [await answered_by(house)]
        house.clock.advance(DAY)
        answers.append(await answered_by(house))
        assert (await house.stored_turn()).trace["model_away"].startswith("The agent's monthly_tokens are used up.")
        house.clock.advance(31 * DAY)
        answers.append(await answered_by(house))
        assert answers == [AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE, AnsweredBy.MODEL]


async def test_a_visitor_cannot_use_up_the_tokens_of_others(tmp_path: Path) -> None:
    config = AgentConfig("Lamps", daily_tokens=100, visitor_daily_tokens=2 * TURN_TOKENS)
    async with answering_house(tmp_path, model=ScriptedChatModel(("Within 30 days [1].",)), config=config) as house:
        greedy, agent = house.session, await house.live_agent()
        answers = [await answered_by(house) for _ in range(2)]
        house.session = (await house.conversations.open(agent, None)).session
        answers.append(await answered_by(house))
        assert answers == [AnsweredBy.MODEL] * 3
        house.session = greedy
        assert await answered_by(house) is AnsweredBy.EXTRACTIVE
        assert (await house.stored_turn()).trace["model_away"].startswith("The visitor's daily_tokens are used up.")


async def test_a_visitors_tokens_count_over_all_their_conversations_of_the_day(tmp_path: Path) -> None:
    config = AgentConfig("Lamps", visitor_daily_tokens=TURN_TOKENS)
    async with answering_house(tmp_path, model=ScriptedChatModel(("Within 30 days [1].",)), config=config) as house:
        agent, ann, answers = await house.live_agent(), uuid4(), []
        for wait in (0, 0, DAY):
            house.clock.advance(wait)
            house.session = (await house.conversations.open(agent, ann, resumes=False)).session
            answers.append(await answered_by(house))
        assert answers == [AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE, AnsweredBy.MODEL]


async def test_the_agents_of_a_workspace_share_its_limit(tmp_path: Path) -> None:
    model = ScriptedChatModel(("Within 30 days [1].",))
    async with answering_house(tmp_path, model=model, workspace_daily_tokens=TURN_TOKENS) as house:
        with house.record.writing() as tx:
            draft = AgentRecords(tx).agent(house.workspace_id, house.agent_id).draft
            other = AgentRecords(tx).create(house.workspace_id, replace(draft, name="Other"))
            TurnRecords(tx).charge(other.id, "suggestion", TokenUsage(TURN_TOKENS, 0, "m"))
        assert await answered_by(house) is AnsweredBy.EXTRACTIVE
        assert model.requests == []
        told = (await house.stored_turn()).trace["model_away"]
        assert told.startswith("The workspace's daily_tokens are used up.")


async def test_however_many_agents_share_a_limit_their_tokens_are_summed_once(tmp_path: Path) -> None:
    async with answering_house(tmp_path, workspace_daily_tokens=TURN_TOKENS) as house:
        with house.record.writing() as tx:
            draft = AgentRecords(tx).agent(house.workspace_id, house.agent_id).draft
            for number in range(3):
                other = AgentRecords(tx).create(house.workspace_id, replace(draft, name=f"Other {number}"))
                AgentRecords(tx).publish(house.workspace_id, other.id)
                TurnRecords(tx).charge(other.id, "suggestion", TokenUsage(number, 0, "m"))
        budgets = TokenBudgets(house.record, TokenPrices(), WorkspaceTokens(daily=TURN_TOKENS))
        with statements() as executed:
            bounded = await budgets.bounded(Actor(house.workspace_id, "ann", frozenset((READ,))))
        assert [[limit.used_tokens for limit in each.limits] for each in bounded.values()] == [[3]] * 4
        shared = [each for each in executed if "sum(agent_days.tokens)" in each and "JOIN agents" in each]
        assert len(shared) == 1


async def say(model: BudgetedChatModel) -> None:
    async with model.stream([ChatMessage("user", "x" * 40)], max_tokens=5) as items:
        async for _ in items:
            pass


@every_row(
    ("model", "tokens"),
    [
        pytest.param(ScriptedChatModel(("Hello.",)), 15, id="as the provider says"),
        pytest.param(ScriptedChatModel(("x" * 8,), usage=TokenUsage()), 12, id="guessed where it says nothing"),
        pytest.param(ScriptedChatModel((ModelUnavailable("away"),)), 0, id="nothing for a provider that is away"),
        pytest.param(
            ScriptedChatModel((ModelUnavailable("empty", spent=(900, 600)),)), 1500, id="an empty answer as reported"
        ),
        pytest.param(
            ScriptedChatModel((ModelUnavailable("silent", spent=(0, 0)),)), 10, id="guessed for one that timed out"
        ),
    ],
)
async def test_what_a_call_counts(model: ScriptedChatModel, tokens: int) -> None:
    meter, refused = TokenMeter(), 0
    meter.begin()
    try:
        await say(BudgetedChatModel(model))
    except ModelUnavailable:
        refused += 1
    assert meter.usage.tokens == tokens


async def test_each_model_costs_its_own_price() -> None:
    prices = TokenPrices(prompt=2, answer=10, others={"small": TokenPrices(prompt=0.1, answer=0.4)})
    meter = TokenMeter()
    meter.begin()
    for name in ("big", "small", "big"):
        usage = TokenUsage(1_000_000, 500_000, name)
        await say(BudgetedChatModel(ScriptedChatModel(("Hello.",), usage=usage), prices=prices))
    assert meter.usage.cost == pytest.approx(7 + 0.3 + 7)


async def test_calls_of_no_turn_pass() -> None:
    model = ScriptedChatModel(("Hello.",))
    await say(BudgetedChatModel(model))
    assert len(model.requests) == 1
