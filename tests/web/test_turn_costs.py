"""What the chat model cost in one turn: in the API and on the console's page of the conversation."""

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.conversations.records.turns import TurnRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.costs import TokenPrices
from app.core.turn import AnsweredBy, Finish, TurnEnd, TurnRequest, TurnState, VisitorSession
from tests.web.console.browser import text_of
from tests.web.console.page_examples import open_console
from tests.web.house import PAGE, House

USAGE = {"prompt_tokens": 1_000_000, "completion_tokens": 100_000, "model": "m", "cached_tokens": 500_000}
PRICES = TokenPrices(prompt=2, cached=1, answer=10)


async def answered(house: House, trace: dict[str, Any]) -> str:
    """The id of a conversation whose turn ended with that trace."""
    session = await house.init()
    turn_id, conversation_id = uuid4(), session["conversation_id"]
    ids = (house.actor.workspace_id, house.agent.id, UUID(session["visitor_id"]), UUID(conversation_id))
    with house.record.writing() as tx:
        TurnRecords(tx).begin(VisitorSession(*ids), TurnRequest(turn_id, "Any news?", PAGE), 1, "tests")
        end = TurnEnd(TurnState.DONE, "Yes.", AnsweredBy.MODEL, 0.9, False, Finish.COMPLETE, trace=trace)
        TurnRecords(tx).finish(turn_id, end)
    return str(conversation_id)


@pytest.mark.parametrize(
    ("prices", "trace", "cost"),
    [
        pytest.param(PRICES, {"usage": USAGE}, 2.5, id="by its tokens"),
        pytest.param(TokenPrices(), {"usage": USAGE}, None, id="without prices"),
        pytest.param(PRICES, {}, None, id="without the model"),
    ],
)
async def test_a_turn_costs_what_its_tokens_do(
    house: House, monkeypatch: pytest.MonkeyPatch, prices: TokenPrices, trace: dict[str, Any], cost: float | None
) -> None:
    monkeypatch.setattr(house.parts.get(TokenBudgets), "_prices", prices)
    told = await house.api("GET", f"/v1/conversations/{await answered(house, trace)}")
    [turn] = told.json()["turns"]
    assert turn["cost"] == pytest.approx(cost)


async def test_the_console_shows_what_a_turn_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_console(tmp_path) as console:
        house = console.house
        path = f"/console/agents/{house.agent.id}/conversations/{await answered(house, {'usage': USAGE})}"
        assert "100,000 written." in text_of(await console.viewer.page(path))
        monkeypatch.setattr(house.parts.get(TokenBudgets), "_prices", PRICES)
        assert "100,000 written, cost 2.5000." in text_of(await console.viewer.page(path))
