"""What rows of usage cost together, in SQL."""

from sqlalchemy import ColumnElement, Float, cast, func

from app.core.costs import MILLION, TokenPrices
from app.store.tables.conversations import USAGE


def cost_of_rows(prices: TokenPrices) -> ColumnElement[float | None]:
    """The sum of what was charged; rows without a cost, as those from before costs were stored, cost what `prices` say.
    NULL if neither says anything."""
    if not (prices.prompt or prices.answer):
        return func.sum(USAGE.c.cost)
    cached = cast(USAGE.c.cached_tokens, Float(53))
    read = (USAGE.c.prompt_tokens - cached) * prices.prompt + cached * (prices.cached or prices.prompt)
    written = cast(USAGE.c.completion_tokens, Float(53)) * prices.answer
    return func.sum(func.coalesce(USAGE.c.cost, (read + written) / MILLION))
