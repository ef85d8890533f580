"""The cost of the chat model."""

from dataclasses import dataclass
from typing import Final

from app.core.turn import TokenUsage

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """Per million tokens, in the operator's currency. Tokens from the provider's cache cost the same as others unless
    they have their own price."""

    prompt: float = 0.0
    cached: float = 0.0
    answer: float = 0.0

    def of(self, usage: TokenUsage) -> float | None:
        """None if no price is set."""
        if not (self.prompt or self.answer):
            return None
        fresh = usage.prompt_tokens - usage.cached_tokens
        cached = usage.cached_tokens * (self.cached or self.prompt)
        return (fresh * self.prompt + cached + usage.completion_tokens * self.answer) / _MILLION


@dataclass(frozen=True, slots=True)
class MonthCost:
    """A calendar month of an agent, in UTC. `month` is "2026-11"; `calls` counts turns and the texts that operators had
    the model write; `cost` is None if no price is set."""

    month: str
    calls: int
    usage: TokenUsage
    cost: float | None = None
