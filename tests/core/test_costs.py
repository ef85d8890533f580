"""What tokens cost."""

import pytest

from app.core.costs import TokenPrices
from app.core.turn import TokenUsage


@pytest.mark.parametrize(
    ("prices", "cost"),
    [
        pytest.param(TokenPrices(2, 0.5, 10), 2 * 0.6 + 0.5 * 0.4 + 10 * 0.1, id="cached tokens have their own price"),
        pytest.param(TokenPrices(2, 0, 10), 2 * 1.0 + 10 * 0.1, id="or that of the others"),
        pytest.param(TokenPrices(), None, id="without prices nothing is known"),
    ],
)
def test_prices_are_for_a_million_tokens(prices: TokenPrices, cost: float | None) -> None:
    usage = TokenUsage(1_000_000, 100_000, "m", cached_tokens=400_000)
    assert prices.cost(usage) == pytest.approx(cost)
