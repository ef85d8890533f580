"""What the chat model cost, month by month."""

from pathlib import Path

import pytest

from app.agents.token_budget import UNLIMITED
from app.conversations.records.turns import TurnRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.costs import TokenPrices
from app.core.turn import TokenUsage
from tests.web.house import House, open_house


async def charge(house: House, usage: TokenUsage) -> None:
    await house.record.write(lambda tx: TurnRecords(tx).charge(house.agent.id, "suggestion", usage))


async def test_the_api_lists_months_newest_first_with_cached_tokens(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await charge(house, TokenUsage(1000, 100, "m", cached_tokens=400))
        house.clock.advance(35 * 24 * 3600)
        await charge(house, TokenUsage(10, 1, "m"))
        await charge(house, TokenUsage(20, 2, "m"))
        response = await house.api("GET", f"/v1/agents/{house.agent.id}/costs", token=house.read)
        foreign = await house.api("GET", f"/v1/agents/{house.agent.id}/costs", token=house.foreign)

    nothing = {"cached_tokens": 0, "cost": None}
    assert response.json()["months"] == [
        {"month": "2026-02", "calls": 2, "prompt_tokens": 30, "completion_tokens": 3, **nothing},
        {
            "month": "2026-01",
            "calls": 1,
            "prompt_tokens": 1000,
            "completion_tokens": 100,
            **nothing,
            "cached_tokens": 400,
        },
    ]
    assert foreign.status_code == 404


async def test_turns_without_the_model_cost_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await charge(house, TokenUsage())
        assert await TokenBudgets(house.record, TokenPrices(), UNLIMITED).months(house.actor, house.agent.id) == []


async def test_a_month_costs_what_its_tokens_do(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await charge(house, TokenUsage(1_000_000, 100_000, "m", cached_tokens=500_000))
        budgets = TokenBudgets(house.record, TokenPrices(prompt=2, cached=1, answer=10), UNLIMITED)
        [month] = await budgets.months(house.actor, house.agent.id)
    assert month.cost == pytest.approx(1 + 0.5 + 1)


async def test_what_was_charged_once_keeps_its_cost_when_prices_change(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await charge(house, TokenUsage(1_000_000, 0, "m", cost=7.0))
        await charge(house, TokenUsage(1_000_000, 0, "m"))
        costs = [
            (await TokenBudgets(house.record, prices, UNLIMITED).months(house.actor, house.agent.id))[0].cost
            for prices in (TokenPrices(), TokenPrices(prompt=2))
        ]
    assert costs == pytest.approx([7, 7 + 2])
