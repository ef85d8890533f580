"""The cost of the chat model: the price of tokens, and an estimate of their number without the model's tokenizer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from app.core.turn import TokenUsage

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """Prices per million tokens, in the operator's currency. Tokens from the provider's cache cost as much as other
    tokens of the prompt unless `cached` is set. `others` has different prices by the name of the model."""

    prompt: float = 0.0
    cached: float = 0.0
    answer: float = 0.0
    others: Mapping[str, "TokenPrices"] = field(default_factory=dict)

    @property
    def are_set(self) -> bool:
        return bool(self.prompt or self.answer or self.others)

    def cost(self, usage: TokenUsage) -> float | None:
        """`usage.cost` if it was set when the tokens were charged, else the cost by these prices; None without any."""
        if usage.cost is not None or not self.are_set:
            return usage.cost
        prices = self.others.get(usage.model, self)
        fresh = usage.prompt_tokens - usage.cached_tokens
        cached = usage.cached_tokens * (prices.cached or prices.prompt)
        return (fresh * prices.prompt + cached + usage.completion_tokens * prices.answer) / MILLION


FREE: Final = TokenPrices()


@dataclass(frozen=True, slots=True)
class MonthCost:
    """The usage and cost of an agent in one calendar month."""

    month: Annotated[str, "In UTC, such as 2026-11."]
    calls: Annotated[int, "Turns, and drafts for operators, that used the chat model."]
    usage: TokenUsage
    cost: Annotated[float | None, "By DOCENT_MODEL_PRICE_PROMPT and the other prices; null if no prices are set."] = (
        None
    )


_ASCII_CHARS: Final = 4  # a token
_OTHER_BYTES: Final = 3  # a token, in UTF-8


def estimated_tokens(text: str) -> int:
    """One token for four ASCII characters, or for three UTF-8 bytes of others. Measured characters per token: 1.0 to
    1.3 of Chinese, 1.1 to 1.5 of Japanese and 1.2 to 1.7 of Korean (o200k and cl100k); 1.2 to 1.4 of Hindi, Persian and
    Arabic (cl100k)."""
    if text.isascii():
        return -(-len(text) // _ASCII_CHARS)
    plain = len(text.encode("ascii", "ignore"))
    others = len(text.encode("utf-8", "surrogatepass")) - plain
    return -(-plain // _ASCII_CHARS) + -(-others // _OTHER_BYTES)
