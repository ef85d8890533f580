"""Agents in the admin API."""

from dataclasses import fields, replace
from typing import Annotated, Any, TypeVar
from uuid import UUID

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field

from app.agents import agent_rules as rules
from app.agents.agent import Agent, AgentConfig, AgentVersion
from app.agents.api.retrieval_models import RetrievalModel
from app.agents.retrieval_settings import RetrievalSettings
from app.agents.token_budget import TokenBudget, TokenLimit
from app.agents.widget_settings import Fallback, Invitation, Theme, Translation
from app.core.costs import MonthCost
from app.core.search_filter import SearchFilter
from app.core.setting import limits_of
from app.quality.publishing import Published
from app.web.derived_fields import setting_fields
from app.web.model import Model, example, without_defaults

_NESTED = Theme | Fallback | RetrievalSettings | SearchFilter
_LIMITS = limits_of(AgentConfig)
Name = Annotated[str, Field(min_length=1, max_length=_LIMITS["name"].most)]
Value = TypeVar("Value", bound=AgentConfig | _NESTED)


class ThemeModel(Model, adds=setting_fields(Theme)):
    picture: str | None = Field(
        default=None,
        max_length=rules.MAX_PICTURE_CHARS,
        description="The picture that POST /v1/agents/{agent_id}/picture made, as Base64; null removes it.",
    )


class FallbackModel(Model, adds=setting_fields(Fallback)):
    """What a visitor is offered when the site has no clear answer."""


class AgentSettings(Model, adds=setting_fields(AgentConfig)):
    """Every setting except the name; the agent rules check lengths and formats."""

    theme: ThemeModel = Field(default_factory=ThemeModel)
    translations: tuple[Translation, ...] = Field(
        default=(),
        max_length=_LIMITS["translations"].most,
        description="Translations of theme.greeting, ai_notice, starter_prompts and invitations: each has a language "
        '("de") and the texts that differ. Visitors get the translation for the language of the '
        "interface.",
    )
    invitations: tuple[Invitation, ...] = Field(
        default=(),
        max_length=_LIMITS["invitations"].most,
        description="Short messages that the closed widget shows by itself, once to each visitor: see "
        "getInvitations. `pages` are patterns of path and query, in which * matches any characters; "
        "empty: every page. They need a second script tag: paste the snippet again after adding the "
        "first one.",
    )
    fallback: FallbackModel = Field(default_factory=FallbackModel)
    retrieval: RetrievalModel = Field(default_factory=RetrievalModel)


@example(name="Docs", allowed_origins=["https://www.example.com"])
class AgentCreate(AgentSettings):
    name: Name

    def config(self) -> AgentConfig:
        return changed(AgentConfig(name=self.name), self)


class AgentPatch(AgentSettings):
    """Fields that are not sent stay unchanged, including those of theme and retrieval."""

    model_config = ConfigDict(json_schema_extra=without_defaults)

    name: Name = "?"


class AgentConfigOut(AgentSettings):
    name: str


class AgentOut(Model, shows=Agent, fields="id draft live_version paused_at generation created_at updated_at"):
    draft: AgentConfigOut


class TokenLimitOut(Model, shows=TokenLimit, fields="name tokens used_tokens is_spent resets_at"): ...


class TokenBudgetOut(Model, shows=TokenBudget, fields="daily_tokens used_tokens is_spent resets_at limits"):
    limits: Annotated[list[TokenLimitOut], "All limits that hold for the agent."]


class MonthCostOut(
    Model,
    shows=MonthCost,
    parts="usage",
    fields="month calls prompt_tokens cached_tokens completion_tokens cost",
):
    cost: Annotated[float | None, BeforeValidator(lambda cost: cost and round(cost, 4))]


class CostsOut(Model):
    months: Annotated[list[MonthCostOut], "The last twelve months with costs, newest first."]


class AgentVersionOut(Model, shows=AgentVersion, fields="number config published_at published_by note"):
    config: AgentConfigOut


class PublishIn(Model):
    force: bool = Field(default=False, description="Publish even if the publish gate refuses.")
    note: Annotated[str, rules.NOTE, "What changes and why, for operators."] = ""


class RollBackIn(PublishIn):
    number: int = Field(ge=1, description="The number of the version to restore.")


class GateOut(Model):
    golden_run_id: UUID = Field(validation_alias=AliasChoices("id", "golden_run_id"))
    is_complete: Annotated[bool, "False if the time was too short for every golden question."]
    won: Annotated[tuple[str, ...], "Golden questions that only the draft gets right."]
    lost: Annotated[tuple[str, ...], "Golden questions that only the live version gets right."]


class PublishedOut(AgentVersionOut, shows=Published, parts="version", fields="gate=compared"):
    gate: GateOut | None


def changed(value: Value, change: Model) -> Value:
    """The value with exactly the fields replaced that the caller has sent."""
    sent: dict[str, Any] = {}
    for field in fields(value):
        if field.name not in change.model_fields_set:
            continue
        given, current = getattr(change, field.name), getattr(value, field.name)
        sent[field.name] = changed(current, given) if isinstance(current, _NESTED) else given
    return replace(value, **sent)
