"""What the chat model cost."""

from dataclasses import dataclass
from typing import Final

from app.core.turn import TokenUsage

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """Of a million tokens, in the operator's currency. Tokens that the provider had cached cost what others do unless
    they have a price of their own."""

    prompt: float = 0.0
    cached: float = 0.0
    answer: float = 0.0

    def of(self, usage: TokenUsage) -> float | None:
        """None where no price is set."""
        if not (self.prompt or self.answer):
            return None
        fresh = usage.prompt_tokens - usage.cached_tokens
        cached = usage.cached_tokens * (self.cached or self.prompt)
        return (fresh * self.prompt + cached + usage.completion_tokens * self.answer) / _MILLION


@dataclass(frozen=True, slots=True)
class MonthCost:
    """A calendar month of an agent, by UTC. `month` is "2026-11"; `calls` counts turns and what operators had written
    that the model was asked for; `cost` is None where no price is set."""

    month: str
    calls: int
    usage: TokenUsage
    cost: float | None = None
