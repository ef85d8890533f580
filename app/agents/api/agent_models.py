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
    primary_color: str | None = Field(default=_THEME.primary_color, description='A colour as "#rrggbb".', max_length=7)
    radius_px: int | None = Field(default=_THEME.radius_px, ge=0, le=40)
    position: str = Field(default=_THEME.position, description="left or right.")
    launcher_label: str | None = Field(default=None, max_length=rules.MAX_LAUNCHER_LABEL_CHARS)
    launcher_icon: str = Field(default=_THEME.launcher_icon, description="chat, help, spark or picture.")
    opens_itself: bool = Field(
        default=_THEME.opens_itself,
        description="Opens the panel on every page, without moving the focus to it. This setting is part of the "
        "script tag: paste the snippet again after a change.",
    )
    opens_wide: bool = Field(
        default=_THEME.opens_wide,
        description="Shows the panel wide until a visitor makes it narrow. Paste the snippet again after a change: "
        "until the panel is opened for the first time, only the script tag has this setting.",
    )
    greeting: str | None = Field(default=None, max_length=rules.MAX_GREETING_CHARS)
    picture: str | None = Field(
        default=None,
        max_length=rules.MAX_PICTURE_CHARS,
        description="The picture that POST /v1/agents/{agent_id}/picture made, as Base64; null removes it.",
    )
    picture_alt: str | None = Field(
        default=None,
        max_length=rules.MAX_PICTURE_ALT_CHARS,
        description="What the picture shows; null if it adds nothing to the name beside it.",
    )


class FallbackModel(Model):
    """What a visitor is offered when the site has no clear answer."""

    url: str | None = Field(
        default=None, max_length=2048, description="A URL that begins with https:, mailto: or tel:."
    )
    label: str | None = Field(
        default=None, max_length=rules.MAX_FALLBACK_LABEL_CHARS, description="Null: the widget's own words."
    )
    form: bool = Field(default=False, description="Lets visitors leave a message: see listLeads.")
    consent: str | None = Field(
        default=None,
        max_length=rules.MAX_CONSENT_CHARS,
        description="What visitors agree to when they leave a message; null: the widget's own words.",
    )


class AgentSettings(Model):
    """Every setting except the name; the agent rules check lengths and formats."""

    persona: str = Field(default=_CONFIG.persona, max_length=rules.MAX_PERSONA_CHARS)
    tone: str = Field(default=_CONFIG.tone, max_length=rules.MAX_TONE_CHARS)
    avoid_topics: tuple[str, ...] = Field(default=(), max_length=rules.MAX_TOPICS)
    prompt_attributes: tuple[str, ...] = Field(
        default=(),
        max_length=rules.MAX_TOLD_ATTRIBUTES,
        description="Names of the visitor's attributes that are passed to the chat model.",
    )
    filter_attributes: tuple[str, ...] = Field(
        default=(),
        max_length=rules.MAX_TOLD_ATTRIBUTES,
        description="Names of the visitor's attributes that pages must have as well. Only signed attributes count.",
    )
    max_answer_chars: int = Field(
        default=_CONFIG.max_answer_chars, ge=rules.MIN_ANSWER_CHARS, le=rules.MAX_ANSWER_CHARS
    )
    custom_prompt: str = Field(default="", max_length=rules.MAX_CUSTOM_PROMPT_CHARS)
    language: str | None = Field(
        default=None, description='A language code, such as "en"; null: the language of the question.', max_length=3
    )
    confidence_threshold: float = Field(
        default=_CONFIG.confidence_threshold,
        ge=0,
        le=1,
        description="The confidence that a passage needs. A single one that reaches it needs .5 as well.",
    )
    allowed_origins: tuple[str, ...] = Field(
        default=(),
        max_length=rules.MAX_ORIGINS,
        description='Origins that may embed the widget, such as "https://www.example.com", or '
        '"https://*.example.com" for one more label. Empty: none.',
    )
    allowed_link_hosts: tuple[str, ...] = Field(default=(), max_length=rules.MAX_LINK_HOSTS)
    theme: ThemeModel = Field(default_factory=ThemeModel)
    ai_notice: str | None = Field(
        default=None,
        max_length=rules.MAX_AI_NOTICE_CHARS,
        description="The notice that visitors see before they ask: an AI system writes the answers automatically (EU "
        "AI Act, Art. 50). Null: the widget's own words, in its languages. The notice cannot be removed.",
    )
    translations: tuple[Translation, ...] = Field(
        default=(),
        max_length=rules.MAX_TRANSLATIONS,
        description="Translations of theme.greeting, ai_notice, starter_prompts and invitations: each has a language "
        '("de") and the texts that differ. Visitors get the translation for the language of the '
        "interface.",
    )
    invitations: tuple[Invitation, ...] = Field(
        default=(),
        max_length=rules.MAX_INVITATIONS,
        description="Short messages that the closed widget shows by itself, once to each visitor: see "
        "getInvitations. `pages` are patterns of path and query, in which * matches any characters; "
        "empty: every page. They need a second script tag: paste the snippet again after adding the "
        "first one.",
    )
    fallback: FallbackModel = Field(default_factory=FallbackModel)
    live_chat: bool = Field(
        default=_CONFIG.live_chat,
        description="Lets visitors ask for a person, and operators take over conversations: see listLiveChats.",
    )
    live_pictures: bool = Field(
        default=_CONFIG.live_pictures,
        description="Lets visitors and operators send each other pictures in a live chat: see sendPicture.",
    )
    opening_hours: tuple[str, ...] = Field(default=(), max_length=MAX_LINES, description=_HOURS)
    time_zone: str = Field(
        default=_CONFIG.time_zone, max_length=MAX_ZONE_CHARS, description="The time zone of opening_hours."
    )
    open_to_programs: bool = Field(
        default=_CONFIG.open_to_programs,
        description="Lets anyone who can reach the server ask over MCP without a token, with the limits of visitors.",
    )
    on_disconnect: OnDisconnect = Field(
        default=_CONFIG.on_disconnect,
        description="What happens to an answer when its last reader disconnects: finish it, or stop it after "
        "disconnect_grace_seconds.",
    )
    disconnect_grace_seconds: int = Field(
        default=_CONFIG.disconnect_grace_seconds, ge=0, le=rules.MAX_DISCONNECT_GRACE_SECONDS
    )
    retention_days: int = Field(
        default=_CONFIG.retention_days,
        ge=1,
        le=rules.MAX_RETENTION_DAYS,
        description="Days after which what visitors wrote, and the answers to it, are erased.",
    )
    visitor_device: bool = Field(
        default=_CONFIG.visitor_device,
        description="Stores, with each new conversation, the kind of the visitor's device and the names and major "
        "versions of its operating system and browser: see `device` of getConversation.",
    )
    proof_of_work: ProofWanted = Field(
        default=_CONFIG.proof_of_work,
        description="When a visitor's browser must do a proof of work before its questions are accepted: off, "
        "suspicious (while it or its network sends many) or always.",
    )
    daily_tokens: int | None = Field(
        default=_CONFIG.daily_tokens,
        ge=0,
        le=rules.MAX_DAILY_TOKENS,
        description="Chat model tokens that visitors may use in a day (UTC), including prompts. Beyond that, answers "
        "are quoted from the pages. Null: no limit.",
    )
    publish_gate: PublishGate = Field(
        default=_CONFIG.publish_gate,
        description="What publishing does if the draft would lose golden questions: nothing (off), list them (warn), "
        "or refuse (refuse).",
    )
    quarantine: Quarantine = Field(
        default=_CONFIG.quarantine,
        description="What happens to pages that contain text like instructions to an assistant: nothing (off), they "
        "are listed (flag), or their new text also waits until an operator releases it (hold).",
    )
    answer_check: AnswerCheck = Field(
        default=_CONFIG.answer_check,
        description="What happens to a sentence of the chat model whose numbers, dates, prices, versions, names or "
        "code are not in the sources that it cites, or whose meaning is far from them: it is not checked "
        "(off), it is marked (mark), or it is removed (withhold).",
    )
    next_questions: bool = Field(
        default=_CONFIG.next_questions,
        description="Adds up to three further questions to an answer: headings of the pages that it cites, starter "
        "prompts, and golden questions that an operator wrote. Each is offered only if search finds it "
        "answered.",
    )
    starter_prompts: tuple[str, ...] = Field(default=(), max_length=rules.MAX_STARTER_PROMPTS)
    contextual_chunks: ContextKind = Field(
        default=_CONFIG.contextual_chunks,
        description="The context that chunks are indexed with: their place in the page, or also a description by the "
        "chat model. It applies to pages read after publishing; `docent reindex` applies it to all.",
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
    live_version: int | None = Field(description="Null before the first publish.")
    generation: int
    created_at: datetime
    updated_at: datetime


class TokenBudgetOut(Model):
    daily_tokens: int | None = Field(description="As published; null without a limit.")
    used_tokens: int = Field(description="Since midnight UTC, by turns that have ended.")
    is_spent: bool
    resets_at: datetime


class MonthCostOut(Model):
    month: str = Field(description="In UTC, such as 2026-11.")
    calls: int = Field(description="Turns, and drafts for operators, that used the chat model.")
    prompt_tokens: int
    cached_tokens: int = Field(description="Prompt tokens that the provider had cached.")
    completion_tokens: int
    cost: float | None = Field(
        description="By DOCENT_MODEL_PRICE_PROMPT and the other prices; null if no prices are set."
    )

    @classmethod
    def of(cls, month: MonthCost) -> "MonthCostOut":
        return super().of(month, month.usage, cost=None if month.cost is None else round(month.cost, 4))


class CostsOut(Model):
    months: list[MonthCostOut] = Field(description="The last twelve months with costs, newest first.")


class AgentVersionOut(Model):
    number: int
    config: AgentConfigOut
    published_at: datetime


class PublishIn(Model):
    force: bool = Field(default=False, description="Publish even if the publish gate refuses.")


class RollBackIn(PublishIn):
    number: int = Field(ge=1, description="The number of the version to restore.")


class GateOut(Model):
    golden_run_id: UUID
    is_complete: bool = Field(description="False if the time was too short for every golden question.")
    won: tuple[str, ...] = Field(description="Golden questions that only the draft gets right.")
    lost: tuple[str, ...] = Field(description="Golden questions that only the live version gets right.")


class PublishedOut(AgentVersionOut):
    gate: GateOut | None = Field(description="Null if nothing was compared.")

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
