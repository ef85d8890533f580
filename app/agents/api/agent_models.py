"""Agents as the admin API shows and takes them."""

from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from pydantic import ConfigDict, Field

from app.agents import agent_rules as rules
from app.agents.agent import Agent, AgentConfig, AgentVersion, Fallback, PublishGate, Quarantine, Theme
from app.agents.answer_check import AnswerCheck
from app.agents.context_kind import ContextKind
from app.agents.on_disconnect import OnDisconnect
from app.agents.opening_hours import MAX_LINES
from app.agents.retrieval_settings import ConfidenceScale, FusionMethod, RerankMode, RetrievalSettings
from app.agents.token_budget import TokenBudget
from app.core.costs import MonthCost
from app.core.search_filter import AttributeFilter, SearchFilter
from app.core.time_zone import MAX_ZONE_CHARS
from app.quality.publishing import Published
from app.web.model import Model, without_defaults
from app.web.timestamps import Day

_CONFIG, _THEME, _RETRIEVAL = AgentConfig(name="?"), Theme(), RetrievalSettings()
_NESTED = Theme | Fallback | RetrievalSettings | SearchFilter
_HOURS = 'When a person may be asked for, each as "mon-fri 09:00-17:00"; else `fallback` is offered. Empty: always.'
Value = TypeVar("Value", bound=AgentConfig | _NESTED)


class ThemeModel(Model):
    primary_color: str | None = Field(default=_THEME.primary_color, description='"#rrggbb".', max_length=7)
    radius_px: int | None = Field(default=_THEME.radius_px, ge=0, le=40)
    position: str = Field(default=_THEME.position, description="left or right.")
    launcher_label: str | None = Field(default=None, max_length=rules.MAX_LAUNCHER_LABEL_CHARS)
    launcher_icon: str = Field(default=_THEME.launcher_icon, description="chat, help or spark.")
    opens_itself: bool = Field(
        default=_THEME.opens_itself,
        description="The panel is open on every page, without the focus. It is the script tag that says so: paste the "
        "snippet again after a change.",
    )
    greeting: str | None = Field(default=None, max_length=rules.MAX_GREETING_CHARS)


class FallbackModel(Model):
    """What a visitor is offered where the site had no clear answer."""

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


class SearchFilterModel(Model):
    sources: tuple[UUID, ...] = Field(default=(), max_length=rules.MAX_FILTER_ENTRIES)
    path_prefixes: tuple[str, ...] = Field(
        default=(),
        description='"/docs/", ...: compared with the path of a page\'s URL.',
        max_length=rules.MAX_FILTER_ENTRIES,
    )
    languages: tuple[str, ...] = Field(default=(), description='"en", "de", ...', max_length=rules.MAX_FILTER_ENTRIES)
    dated_from: Day | None = Field(default=None, description="The first day that a page may name as its own.")
    dated_to: Day | None = Field(default=None, description="The last one.")
    attributes: tuple[AttributeFilter, ...] = Field(
        default=(),
        description="Of documents that were given with attributes: each name must have one of its values.",
        max_length=rules.MAX_FILTER_ENTRIES,
    )

    def value(self) -> SearchFilter:
        return SearchFilter(**dict(self))


class RetrievalModel(Model):
    """How the agent searches; docs/search.md has the reasons and the measurements."""

    follow_ups: bool = Field(
        default=_RETRIEVAL.follow_ups,
        description="A question that leans on the conversation is made whole before it is searched for.",
    )
    split_long_questions: bool = Field(
        default=_RETRIEVAL.split_long_questions,
        description="A text that is longer than the embedder reads is searched for part by part.",
    )
    extra_queries: int = Field(
        default=_RETRIEVAL.extra_queries,
        description="So many other wordings, and their keywords, are asked of the chat model; 0 to 5.",
    )
    hypothetical_answer: bool = Field(
        default=_RETRIEVAL.hypothetical_answer,
        description="The chat model writes what the answer could look like, and its meaning is searched for as well.",
    )
    extra_weight: float = Field(
        default=_RETRIEVAL.extra_weight,
        description="What each other wording counts against the question itself; 0 to 10.",
    )
    model_searches: int = Field(
        default=_RETRIEVAL.model_searches,
        description="So often may the chat model, having read what was found, search for what is missing; 0 to 3.",
    )
    filter: SearchFilterModel = Field(default_factory=SearchFilterModel)
    recall_per_list: int = Field(
        default=_RETRIEVAL.recall_per_list, description="Chunks from each index, by meaning and by words; 1 to 200."
    )
    fusion: FusionMethod = Field(
        default=_RETRIEVAL.fusion,
        description="How the two lists become one: weighted scores, or reciprocal ranks (rrf).",
    )
    vector_weight: float = Field(default=_RETRIEVAL.vector_weight, description="What meaning counts; 0 to 10.")
    foreign_weight: float = Field(
        default=_RETRIEVAL.foreign_weight,
        description="What is left of vectors and reranker in a language that their models do not read; 0 to 1.",
    )
    keyword_weight: float = Field(default=_RETRIEVAL.keyword_weight, description="What words count; 0 to 10.")
    rrf_k: int = Field(
        default=_RETRIEVAL.rrf_k,
        description="Of reciprocal ranks alone: the larger, the less the first places count; 1 to 1000.",
    )
    rerank: RerankMode = Field(
        default=_RETRIEVAL.rerank,
        description="Who reads the candidates again: auto (one vote of your own reranker), off, vote, judge, model.",
    )
    document_weight: float = Field(
        default=_RETRIEVAL.document_weight,
        description="What the best chunk of a page counts for its other chunks, with weighted scores; 0 to 10.",
    )
    focus_weight: float = Field(
        default=_RETRIEVAL.focus_weight,
        description="What a page counts that many of the first ten candidates are of; 0 to 10.",
    )
    rerank_weight: float = Field(
        default=_RETRIEVAL.rerank_weight, description="What the vote of the reranker counts; 0 to 10."
    )
    rerank_candidates: int = Field(
        default=_RETRIEVAL.rerank_candidates, description="So many candidates are read again; 1 to 100."
    )
    rerank_budget_ms: int = Field(
        default=_RETRIEVAL.rerank_budget_ms,
        description="Milliseconds for reading again; past them the order before stands.",
    )
    model_rank_budget_ms: int = Field(
        default=_RETRIEVAL.model_rank_budget_ms, description="The same where the chat model ranks."
    )
    collapse_documents: bool = Field(
        default=_RETRIEVAL.collapse_documents, description="The best chunk of each page alone is read again."
    )
    page_boost: float = Field(
        default=_RETRIEVAL.page_boost,
        description="What the visitor's current page counts; order only, never confidence; 0 to 1.",
    )
    topic_weight: float = Field(
        default=_RETRIEVAL.topic_weight,
        description="What it counts how near the whole page is to the question; 0 to 1.",
    )
    freshness_weight: float = Field(
        default=_RETRIEVAL.freshness_weight,
        description="Above 0 newer pages are preferred, below 0 older ones; -1 to 1.",
    )
    engagement_weight: float = Field(
        default=_RETRIEVAL.engagement_weight,
        description="What the thumbs count that answers from the page got; 0 to 1.",
    )
    spam_weight: float = Field(
        default=_RETRIEVAL.spam_weight,
        description="What is taken from text that says the same words again and again; 0 to 1.",
    )
    exploration: float = Field(
        default=_RETRIEVAL.exploration, description="Chance, the same for a question all day; 0 to 0.2."
    )
    confidence_from: ConfidenceScale = Field(
        default=_RETRIEVAL.confidence_from,
        description="What confidence is made of: all signals together, or the reranker alone, for a strong hosted one.",
    )
    confidence_steepness: float = Field(
        default=_RETRIEVAL.confidence_steepness,
        description="Of the reranker alone: the larger, the flatter its scale; 0.1 to 100.",
    )
    needs_two_survivors: bool = Field(
        default=_RETRIEVAL.needs_two_survivors, description="One chunk above the threshold is too little, however sure."
    )
    sources: int = Field(default=_RETRIEVAL.sources, description="Chunks that reach the answer; 1 to 20.")
    neighbours: int = Field(
        default=_RETRIEVAL.neighbours, description="Each with so many chunks before and after it; 0 to 2."
    )
    source_tokens: int = Field(
        default=_RETRIEVAL.source_tokens, description="All of them stay within so many tokens; 100 to 100000."
    )


class AgentSettings(Model):
    """Every setting beside the name; lengths and forms are those of the agent rules."""

    persona: str = Field(default=_CONFIG.persona, max_length=rules.MAX_PERSONA_CHARS)
    tone: str = Field(default=_CONFIG.tone, max_length=rules.MAX_TONE_CHARS)
    avoid_topics: tuple[str, ...] = Field(default=(), max_length=rules.MAX_TOPICS)
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
    fallback: FallbackModel = Field(default_factory=FallbackModel)
    live_chat: bool = Field(
        default=_CONFIG.live_chat,
        description="Visitors may ask for a person, and operators may take conversations over: see listLiveChats.",
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
    """Only what is sent changes; inside theme and retrieval as well."""

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

    @classmethod
    def of(cls, agent: Agent) -> "AgentOut":
        return cls.model_validate(agent)


class TokenBudgetOut(Model):
    daily_tokens: int | None = Field(description="As published; null without a bound.")
    used_tokens: int = Field(description="Since midnight UTC, by turns that have ended.")
    is_spent: bool
    resets_at: datetime

    @classmethod
    def of(cls, budget: TokenBudget) -> "TokenBudgetOut":
        return cls.model_validate(budget)


class MonthCostOut(Model):
    month: str = Field(description="By UTC, such as 2026-11.")
    calls: int = Field(description="Turns, and drafts for operators, that the chat model was asked for.")
    prompt_tokens: int
    cached_tokens: int = Field(description="Of them, those that the provider had cached.")
    completion_tokens: int
    cost: float | None = Field(description="By DOCENT_MODEL_PRICE_PROMPT and its like; null without prices.")

    @classmethod
    def of(cls, month: MonthCost) -> "MonthCostOut":
        return cls(
            month=month.month,
            calls=month.calls,
            prompt_tokens=month.usage.prompt_tokens,
            cached_tokens=month.usage.cached_tokens,
            completion_tokens=month.usage.completion_tokens,
            cost=None if month.cost is None else round(month.cost, 4),
        )


class CostsOut(Model):
    months: list[MonthCostOut] = Field(description="The last twelve that cost something, newest first.")


class AgentVersionOut(Model):
    number: int
    config: AgentConfigOut
    published_at: datetime

    @classmethod
    def of(cls, version: AgentVersion) -> "AgentVersionOut":
        return cls.model_validate(version)


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
        gate = (
            None
            if run is None
            else GateOut(golden_run_id=run.id, is_complete=run.is_complete, won=run.won, lost=run.lost)
        )
        return cls(**dict(AgentVersionOut.of(published.version)), gate=gate)


def changed(value: Value, change: Model) -> Value:
    """The value with every field that the caller has sent, and no other, replaced."""
    sent: dict[str, Any] = {}
    for field in fields(value):
        if field.name not in change.model_fields_set:
            continue
        given, current = getattr(change, field.name), getattr(value, field.name)
        sent[field.name] = changed(current, given) if isinstance(current, _NESTED) else given
    return replace(value, **sent)
