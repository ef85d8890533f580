"""Agents in the admin API."""

from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from pydantic import ConfigDict, Field

from app.agents import agent_rules as rules
from app.agents.agent import (
    AgentConfig,
    AnswerCheck,
    ContextKind,
    Fallback,
    Invitation,
    OnDisconnect,
    ProofWanted,
    PublishGate,
    Quarantine,
    Theme,
    Translation,
)
from app.agents.api.retrieval_models import RetrievalModel
from app.agents.opening_hours import MAX_LINES
from app.agents.retrieval_settings import RetrievalSettings
from app.core.costs import MonthCost
from app.core.search_filter import SearchFilter
from app.core.time_zone import MAX_ZONE_CHARS
from app.quality.publishing import Published
from app.web.model import Model, without_defaults

_CONFIG, _THEME = AgentConfig(name="?"), Theme()
_NESTED = Theme | Fallback | RetrievalSettings | SearchFilter
_HOURS = 'When a person may be asked for, each as "mon-fri 09:00-17:00"; else `fallback` is offered. Empty: always.'
Value = TypeVar("Value", bound=AgentConfig | _NESTED)


class ThemeModel(Model):
    primary_color: str | None = Field(default=_THEME.primary_color, description='"#rrggbb".', max_length=7)
    radius_px: int | None = Field(default=_THEME.radius_px, ge=0, le=40)
    position: str = Field(default=_THEME.position, description="left or right.")
    launcher_label: str | None = Field(default=None, max_length=rules.MAX_LAUNCHER_LABEL_CHARS)
    launcher_icon: str = Field(default=_THEME.launcher_icon, description="chat, help, spark or picture.")
    opens_itself: bool = Field(
        default=_THEME.opens_itself,
        description="The panel is open on every page, without the focus. It is the script tag that says so: paste the "
        "snippet again after a change.",
    )
    opens_wide: bool = Field(
        default=_THEME.opens_wide,
        description="The panel is wide until a visitor makes it narrow. Paste the snippet again after a change: until "
        "its first opening the script tag alone says so.",
    )
    greeting: str | None = Field(default=None, max_length=rules.MAX_GREETING_CHARS)
    picture: str | None = Field(
        default=None,
        max_length=rules.MAX_PICTURE_CHARS,
        description="What POST /v1/agents/{agent_id}/picture made, as base64; null takes it away.",
    )
    picture_alt: str | None = Field(
        default=None,
        max_length=rules.MAX_PICTURE_ALT_CHARS,
        description="What is to be seen in it; null where it says no more than the name beside it.",
    )


class FallbackModel(Model):
    """What a visitor is offered if the site had no clear answer."""

    url: str | None = Field(default=None, max_length=2048, description="https:, mailto: or tel:.")
    label: str | None = Field(
        default=None, max_length=rules.MAX_FALLBACK_LABEL_CHARS, description="Null: the widget's own words."
    )
    form: bool = Field(default=False, description="Visitors may leave a message: see listLeads.")
    consent: str | None = Field(
        default=None,
        max_length=rules.MAX_CONSENT_CHARS,
        description="What the writer of a message agrees to; null: the widget's own words.",
    )


class AgentSettings(Model):
    """Every setting except the name; the agent rules check lengths and formats."""

    persona: str = Field(default=_CONFIG.persona, max_length=rules.MAX_PERSONA_CHARS)
    tone: str = Field(default=_CONFIG.tone, max_length=rules.MAX_TONE_CHARS)
    avoid_topics: tuple[str, ...] = Field(default=(), max_length=rules.MAX_TOPICS)
    prompt_attributes: tuple[str, ...] = Field(
        default=(),
        max_length=rules.MAX_TOLD_ATTRIBUTES,
        description="Names of attributes of the visitor that the chat model is told.",
    )
    filter_attributes: tuple[str, ...] = Field(
        default=(),
        max_length=rules.MAX_TOLD_ATTRIBUTES,
        description="Names of attributes of the visitor, signed ones alone, that pages must have as well.",
    )
    max_answer_chars: int = Field(
        default=_CONFIG.max_answer_chars, ge=rules.MIN_ANSWER_CHARS, le=rules.MAX_ANSWER_CHARS
    )
    custom_prompt: str = Field(default="", max_length=rules.MAX_CUSTOM_PROMPT_CHARS)
    language: str | None = Field(default=None, description='"en", "de", ...; null follows the question.', max_length=3)
    confidence_threshold: float = Field(default=_CONFIG.confidence_threshold, ge=0, le=1)
    allowed_origins: tuple[str, ...] = Field(
        default=(),
        max_length=rules.MAX_ORIGINS,
        description='"https://www.example.com" or "https://*.example.com" (one label); empty admits nobody.',
    )
    allowed_link_hosts: tuple[str, ...] = Field(default=(), max_length=rules.MAX_LINK_HOSTS)
    theme: ThemeModel = Field(default_factory=ThemeModel)
    ai_notice: str | None = Field(
        default=None,
        max_length=rules.MAX_AI_NOTICE_CHARS,
        description="What visitors are told at first sight: that an AI system writes the answers automatically (EU AI "
        "Act, Art. 50). Null: the widget's own words, in its languages. It cannot be taken away.",
    )
    translations: tuple[Translation, ...] = Field(
        default=(),
        max_length=rules.MAX_TRANSLATIONS,
        description="What theme.greeting, ai_notice, starter_prompts and invitations are in other languages: each "
        'names a language ("de") and what differs. Visitors get that of the interface\'s language.',
    )
    invitations: tuple[Invitation, ...] = Field(
        default=(),
        max_length=rules.MAX_INVITATIONS,
        description="Short messages that the closed widget shows of its own accord, each visitor once: see "
        "getInvitations. `pages` are patterns of path and query, where * is any run of characters; none: every page. "
        "The website needs a second script tag: paste the snippet again after the first one.",
    )
    fallback: FallbackModel = Field(default_factory=FallbackModel)
    live_chat: bool = Field(
        default=_CONFIG.live_chat,
        description="Visitors may ask for a person, and operators may take conversations over: see listLiveChats.",
    )
    live_pictures: bool = Field(
        default=_CONFIG.live_pictures,
        description="Visitors and operators may send each other pictures in a live chat: see sendPicture.",
    )
    opening_hours: tuple[str, ...] = Field(default=(), max_length=MAX_LINES, description=_HOURS)
    time_zone: str = Field(default=_CONFIG.time_zone, max_length=MAX_ZONE_CHARS, description="Of opening_hours.")
    open_to_programs: bool = Field(
        default=_CONFIG.open_to_programs,
        description="Whoever can reach the server may ask by MCP without a token, with the limits of visitors.",
    )
    on_disconnect: OnDisconnect = Field(
        default=_CONFIG.on_disconnect,
        description="What becomes of an answer whose last reader has left: finish, or stop after the grace.",
    )
    disconnect_grace_seconds: int = Field(
        default=_CONFIG.disconnect_grace_seconds, ge=0, le=rules.MAX_DISCONNECT_GRACE_SECONDS
    )
    retention_days: int = Field(
        default=_CONFIG.retention_days,
        ge=1,
        le=rules.MAX_RETENTION_DAYS,
        description="What visitors wrote and were told is erased when it is older.",
    )
    visitor_device: bool = Field(
        default=_CONFIG.visitor_device,
        description="Conversations that begin keep the kind of the visitor's device, and the names and major versions "
        "of its system and browser: see `device` of getConversation.",
    )
    proof_of_work: ProofWanted = Field(
        default=_CONFIG.proof_of_work,
        description="When a visitor's browser proves work before its questions are taken: off, suspicious (while much "
        "comes from it or its network) or always.",
    )
    daily_tokens: int | None = Field(
        default=_CONFIG.daily_tokens,
        ge=0,
        le=rules.MAX_DAILY_TOKENS,
        description="Tokens of the chat model that visitors may use up in a day (UTC), prompts included; past them "
        "answers are quoted from the pages. Null: no bound.",
    )
    publish_gate: PublishGate = Field(
        default=_CONFIG.publish_gate,
        description="What publishing does about golden questions that the draft would lose: nothing is asked (off), "
        "they are named (warn), or it is not published (refuse).",
    )
    quarantine: Quarantine = Field(
        default=_CONFIG.quarantine,
        description="Pages that read like instructions to an assistant: nothing is looked for (off), they are listed "
        "(flag), or their new text also waits until an operator releases it (hold).",
    )
    answer_check: AnswerCheck = Field(
        default=_CONFIG.answer_check,
        description="What becomes of a sentence of the chat model whose numbers, dates, prices, versions, names or "
        "code do not stand in the sources it cites, or that is far from them: nothing is looked up (off), it is marked "
        "(mark), or it is left out (withhold).",
    )
    next_questions: bool = Field(
        default=_CONFIG.next_questions,
        description="Answers offer up to three further questions: headings of the pages that they cite, starter "
        "prompts and golden questions that an operator wrote, each found by search before it is offered.",
    )
    starter_prompts: tuple[str, ...] = Field(default=(), max_length=rules.MAX_STARTER_PROMPTS)
    contextual_chunks: ContextKind = Field(
        default=_CONFIG.contextual_chunks,
        description="What chunks are indexed with: where they stand, or also what the chat model says of each. Pages "
        "learnt after the publish follow it; `docent reindex` makes all follow.",
    )
    retrieval: RetrievalModel = Field(default_factory=RetrievalModel)


class AgentCreate(AgentSettings):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "Docs", "allowed_origins": ["https://www.example.com"]}]}
    )

    name: str = Field(min_length=1, max_length=rules.MAX_NAME_CHARS)

    def config(self) -> AgentConfig:
        return changed(AgentConfig(name=self.name), self)


class AgentPatch(AgentSettings):
    """Fields that are not sent stay unchanged, including those of theme and retrieval."""

    model_config = ConfigDict(json_schema_extra=without_defaults)

    name: str = Field(default="?", min_length=1, max_length=rules.MAX_NAME_CHARS)


class AgentConfigOut(AgentSettings):
    name: str


class AgentOut(Model):
    id: UUID
    draft: AgentConfigOut
    live_version: int | None = Field(description="Null until the first publish.")
    generation: int
    created_at: datetime
    updated_at: datetime


class TokenBudgetOut(Model):
    daily_tokens: int | None = Field(description="As published; null without a bound.")
    used_tokens: int = Field(description="Since midnight UTC, by turns that have ended.")
    is_spent: bool
    resets_at: datetime


class MonthCostOut(Model):
    month: str = Field(description="By UTC, such as 2026-11.")
    calls: int = Field(description="Turns, and drafts for operators, that the chat model was asked for.")
    prompt_tokens: int
    cached_tokens: int = Field(description="Of them, those that the provider had cached.")
    completion_tokens: int
    cost: float | None = Field(description="By DOCENT_MODEL_PRICE_PROMPT and its like; null without prices.")

    @classmethod
    def of(cls, month: MonthCost) -> "MonthCostOut":
        return super().of(month, month.usage, cost=None if month.cost is None else round(month.cost, 4))


class CostsOut(Model):
    months: list[MonthCostOut] = Field(description="The last twelve that cost something, newest first.")


class AgentVersionOut(Model):
    number: int
    config: AgentConfigOut
    published_at: datetime


class PublishIn(Model):
    force: bool = Field(default=False, description="Also where the publish gate refuses.")


class RollBackIn(PublishIn):
    number: int = Field(ge=1, description="Of the version whose settings visitors get again.")


class GateOut(Model):
    golden_run_id: UUID
    is_complete: bool = Field(description="False where the time was not enough for every golden question.")
    won: tuple[str, ...] = Field(description="Golden questions that the live version got wrong.")
    lost: tuple[str, ...] = Field(description="Golden questions that the live version got right.")


class PublishedOut(AgentVersionOut):
    gate: GateOut | None = Field(description="Null where nothing was compared.")

    @classmethod
    def of_published(cls, published: Published) -> "PublishedOut":
        run = published.compared
        return cls.of(published.version, gate=None if run is None else GateOut.of(run, golden_run_id=run.id))


def changed(value: Value, change: Model) -> Value:
    """The value with exactly the fields replaced that the caller has sent."""
    sent: dict[str, Any] = {}
    for field in fields(value):
        if field.name not in change.model_fields_set:
            continue
        given, current = getattr(change, field.name), getattr(value, field.name)
        sent[field.name] = changed(current, given) if isinstance(current, _NESTED) else given
    return replace(value, **sent)
