"""A chat model of a workspace's own, at an endpoint that speaks OpenAI's chat completions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from app.core.costs import TokenPrices
from app.core.setting import at_most, between, required
from app.core.setting_values import ReasoningEffort

QUOTATIONS: Final = "none"  # chosen in place of a model
USUAL: Final = "usual"  # how trials name the usual model, which agents choose by ""
MAX_ENDPOINTS: Final = 20  # of a workspace
PromptForm = Literal["full", "short"]
_PRICE: Final = between(0, 1_000_000)


@dataclass(frozen=True, slots=True)
class EndpointKey:
    key: Annotated[str, at_most(1000), "The endpoint's key, stored sealed and never shown; empty keeps it."] = ""


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """The key is a secret, and not part of this value. `revision` counts changes, from 1."""

    id: UUID
    workspace_id: UUID
    created_at: datetime
    name: Annotated[str, required(100), "The name by which agents choose it (`chat_model`). It never changes."]
    url: Annotated[str, required(500), "Its address, such as https://api.openai.com/v1."]
    model: Annotated[str, required(200), "The model's name there, such as gpt-5-mini."]
    temperature: Annotated[float | None, between(0, 2), "Null: the provider's default."] = None
    reasoning_effort: Annotated[ReasoningEffort | None, "As DOCENT_MODEL_REASONING_EFFORT."] = None
    reasoning_tokens: Annotated[int | None, between(0, 200_000), "As DOCENT_MODEL_REASONING_TOKENS."] = None
    prompt: Annotated[PromptForm, "As DOCENT_MODEL_PROMPT."] = "full"
    price_prompt: Annotated[float, _PRICE, "Per million prompt tokens, in your currency."] = 0.0
    price_cached: Annotated[float, _PRICE, "Per million cached prompt tokens; 0: as other prompt tokens."] = 0.0
    price_answer: Annotated[float, _PRICE, "Per million answer tokens."] = 0.0
    revision: int = 1

    @property
    def prices(self) -> TokenPrices:
        return TokenPrices(self.price_prompt, self.price_cached, self.price_answer)
