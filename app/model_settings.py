"""The settings about chat models: where they are, what they cost and how much of them may be used."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings

from app.agents.model_endpoint import QUOTATIONS, USUAL, PromptForm
from app.agents.token_budget import WorkspaceTokens
from app.core.costs import TokenPrices
from app.core.setting_values import ReasoningEffort, is_http

_OWN_FIELDS: Final = ("url", "name", "key", "temperature", "reasoning_effort", "reasoning_tokens")


def _address(value: str) -> str:
    if not is_http(value):
        raise ValueError("begin the address with http:// or https://, such as https://api.openai.com/v1")
    return value


class ChatEndpoint(BaseModel):
    """A further chat model, which agents choose by its name in DOCENT_MODELS. The fields are as those of the first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Annotated[str, AfterValidator(_address)]
    name: str = Field(min_length=1)
    key: SecretStr = SecretStr("")
    temperature: float | None = Field(None, ge=0, le=2)
    reasoning_effort: ReasoningEffort | None = None
    reasoning_tokens: int | None = Field(None, ge=0, le=200_000)
    prompt: PromptForm = "full"
    price_prompt: float = Field(0, ge=0)
    price_cached: float = Field(0, ge=0)
    price_answer: float = Field(0, ge=0)

    @property
    def prices(self) -> TokenPrices:
        return TokenPrices(self.price_prompt, self.price_cached, self.price_answer)


def _nameable(models: dict[str, ChatEndpoint]) -> dict[str, ChatEndpoint]:
    if reserved := models.keys() & {"", USUAL, QUOTATIONS}:
        raise ValueError(f"choose another name than {min(reserved)!r}, which does not name a further model")
    return models


class ModelSettings(BaseSettings):
    model_url: str = Field("", description="OpenAI-compatible chat endpoint, such as https://api.openai.com/v1.")
    model_name: str = Field("", description="Chat model; empty: answers are quoted from the pages, without a model.")
    model_key: SecretStr = Field(SecretStr(""), description="Key for the chat endpoint.")
    model_silence_seconds: float = Field(20, gt=0, le=300, description="Longest silence of a chat endpoint.")
    model_thinking_seconds: float = Field(75, gt=0, le=900, description="Longest time to think before the first word.")
    model_answer_seconds: float = Field(120, gt=0, le=3600, description="Longest time to write an answer.")
    model_temperature: float | None = Field(
        None, ge=0, le=2, description="Temperature; none: the provider's default. Reasoning models reject it."
    )
    model_reasoning_effort: ReasoningEffort | None = Field(
        None, description="Reasoning effort: none, minimal, low, medium, high or xhigh, as the model supports."
    )
    model_reasoning_tokens: int | None = Field(
        None,
        ge=0,
        le=200_000,
        description="Tokens that it may reason for beside an answer's; none: 4000 for models that want "
        "max_completion_tokens, 0 for others.",
    )
    model_prompt: PromptForm = Field(
        "full",
        description="Form of the prompt: short has fewer rules and an example, for small models; "
        "`docent doctor --model` recommends one.",
    )
    fallback_model_url: str = Field("", description="Chat endpoint to use when the first returns nothing.")
    fallback_model_name: str = Field("", description="Its model.")
    fallback_model_key: SecretStr = Field(SecretStr(""), description="Its key.")
    fallback_model_temperature: float | None = Field(None, ge=0, le=2, description="As the first's.")
    fallback_model_reasoning_effort: ReasoningEffort | None = Field(None, description="As the first's.")
    fallback_model_reasoning_tokens: int | None = Field(None, ge=0, le=200_000, description="As the first's.")
    helper_model_url: str = Field(
        "",
        description="Chat endpoint of a cheaper model for rewriting, ranking and contexts; empty: the chat model.",
    )
    helper_model_name: str = Field("", description="Its model.")
    helper_model_key: SecretStr = Field(SecretStr(""), description="Its key.")
    helper_model_temperature: float | None = Field(None, ge=0, le=2, description="As the model's.")
    helper_model_reasoning_effort: ReasoningEffort | None = Field(None, description="As the model's.")
    helper_model_reasoning_tokens: int | None = Field(None, ge=0, le=200_000, description="As the model's.")
    model_cache_control: bool = Field(
        False,
        description="Mark shared prompt parts with cache_control, for endpoints that cache only with it (Anthropic's).",
    )
    model_price_prompt: float = Field(0, ge=0, description="Price per million prompt tokens.")
    model_price_cached: float = Field(0, ge=0, description="Price per million cached prompt tokens.")
    model_price_answer: float = Field(0, ge=0, description="Price per million answer tokens.")
    fallback_model_price_prompt: float | None = Field(
        None, ge=0, description="The fallback's; if none of its three prices is set: those above."
    )
    fallback_model_price_cached: float | None = Field(None, ge=0, description="As the first's.")
    fallback_model_price_answer: float | None = Field(None, ge=0, description="As the first's.")
    helper_model_price_prompt: float | None = Field(
        None, ge=0, description="The helper's; if none of its three prices is set: those above."
    )
    helper_model_price_cached: float | None = Field(None, ge=0, description="As the model's.")
    helper_model_price_answer: float | None = Field(None, ge=0, description="As the model's.")
    workspace_daily_tokens: int | None = Field(
        None, ge=0, description="Tokens that all agents of a workspace may use in a day (UTC); none: no limit."
    )
    workspace_monthly_tokens: int | None = Field(
        None, ge=0, description="The same in a calendar month (UTC); none: no limit."
    )
    models: Annotated[dict[str, ChatEndpoint], AfterValidator(_nameable)] = Field(
        {},
        description="Further chat models that agents may choose (`chat_model`), as a JSON object by name: "
        '{"large": {"url": "https://...", "name": "...", "key": "..."}}.',
    )

    @property
    def chat_endpoints(self) -> Mapping[str, ChatEndpoint]:
        """Those that are set, by what they are: "model", "fallback_model", "helper_model", and "model large" for the
        one that agents choose as "large". The fallback and the helper have the model's form of the prompt."""
        parts = ("model", "fallback_model", "helper_model")
        fields = {part: {name: getattr(self, f"{part}_{name}") for name in _OWN_FIELDS} for part in parts}
        own = {part: ChatEndpoint(**each, prompt=self.model_prompt) for part, each in fields.items() if each["url"]}
        return own | {f"model {name}": each for name, each in self.models.items()}

    @property
    def short_prompts(self) -> frozenset[str]:
        """The chat models that get the short form, by the names by which agents choose them; "" is the first."""
        forms = {"": self.model_prompt, **{name: each.prompt for name, each in self.models.items()}}
        return frozenset(name for name, form in forms.items() if form == "short")

    @property
    def prices(self) -> TokenPrices:
        """The main model's, and by their names those of the others that have their own."""
        others = {each.name: each.prices for each in self.models.values() if each.prices.are_set}
        for part in ("fallback_model", "helper_model"):
            own = [getattr(self, f"{part}_price_{kind}") for kind in ("prompt", "cached", "answer")]
            if any(price is not None for price in own):
                prompt, cached, answer = (price or 0.0 for price in own)
                others[getattr(self, f"{part}_name")] = TokenPrices(prompt, cached, answer)
        return TokenPrices(self.model_price_prompt, self.model_price_cached, self.model_price_answer, others)

    @property
    def workspace_tokens(self) -> WorkspaceTokens:
        return WorkspaceTokens(self.workspace_daily_tokens, self.workspace_monthly_tokens)
