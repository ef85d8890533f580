"""The answering side: search, writers, turns and conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from app.bootstrap.adapters import configured_action_hosts, configured_shared_turns
from app.bootstrap.models import (
    WorkspaceModels,
    configured_chat_model,
    configured_helper_model,
    configured_model_limiter,
    configured_named_models,
)

if TYPE_CHECKING:
    from app.actions.action_calls import ActionCalls
    from app.agents.model_endpoint import ModelEndpoint
    from app.answers.answer_drafter import AnswerDrafter
    from app.answers.answer_pipeline import AnswerPipeline
    from app.answers.curated.curated_matcher import CuratedMatcher
    from app.answers.playground import Playground
    from app.answers.query_contextualizer import QueryContextualizer
    from app.answers.writing.agent_models import AgentModels
    from app.answers.writing.prompt_builder import PromptBuilder
    from app.bootstrap.infrastructure import Infrastructure
    from app.conversations.history import History
    from app.core.costs import TokenPrices
    from app.kit.limits import ConcurrencyLimiter
    from app.kit.wiring import Parts
    from app.providers.chat.chat_model import ChatModel
    from app.providers.chat.model_health import ModelHealth
    from app.providers.reranking.reranker import SheddingReranker
    from app.search.agent_search import AgentSearch
    from app.search.index_watch import IndexWatch
    from app.search.retriever import Retriever
    from app.search.search_pipeline import SearchParts
    from app.turns.turn_run import TurnTools
    from app.turns.turns import Turns


@dataclass(frozen=True, slots=True)
class Answering:
    search: AgentSearch
    turns: Turns
    history: History
    curated: CuratedMatcher
    playground: Playground
    drafter: AnswerDrafter | None
    model_health: ModelHealth | None
    indexes: IndexWatch


def answering_parts(base: Infrastructure, answering: Answering) -> Parts:
    """The parts that the web application and the periodic tasks of a worker have in common."""
    from app.answers.hand_over_summaries import HandOverSummaries
    from app.answers.playground import Playground
    from app.bootstrap.adapters import configured_mailer
    from app.conversations.history import History
    from app.gaps.gap_replays import TrialAnswers, Trials
    from app.kit.clock import Clock
    from app.kit.pattern_matcher import PatternMatcher
    from app.kit.wiring import Parts
    from app.mail.mailer import Mailer
    from app.quality.golden_run_execution import SearchUnderTest
    from app.quality.trial_search import TrialSearch
    from app.store.system_of_record import SystemOfRecord
    from app.turns.api.visitor_turns import VisitorTurns

    parts, settings, playground, patterns = Parts(), base.settings, answering.playground, PatternMatcher()
    parts.bind(SystemOfRecord).to(base.record)
    parts.bind(Clock).to(base.clock)
    parts.bind(Mailer).to(configured_mailer(settings))
    parts.bind(PatternMatcher).to(patterns)
    parts.bind(VisitorTurns).to(answering.turns)
    parts.bind(History).to(answering.history)
    parts.bind(Playground).to(playground)
    parts.bind(HandOverSummaries).to(HandOverSummaries(base.record, playground.helper, settings.workspace_tokens))
    parts.bind(Trials).to(TrialAnswers(playground))
    parts.bind(SearchUnderTest).to(TrialSearch(playground, patterns))
    return parts


@asynccontextmanager
async def open_search(base: Infrastructure) -> AsyncIterator[AgentSearch]:
    """Open only search, as operators use it."""
    async with AsyncExitStack() as closing:
        model, helper = configured_models(base, closing, configured_model_limiter(base.settings))
        yield for_operators(base, search_parts(base, model, helper))


@asynccontextmanager
async def open_answering(base: Infrastructure, actions: ActionCalls | None = None) -> AsyncIterator[Answering]:
    """Open search, turns and conversations. `actions` are the calls that models may make, if they are open already.
    When the block ends, running turns are ended and stored."""
    from app.answers.answer_drafter import AnswerDrafter
    from app.conversations.history import History
    from app.kit.meters import degraded_turns
    from app.providers.chat.model_health import (
        ModelHealth,
        WatchedChatModel,
        budget_refusals,
        unconfirmed_sentences,
        watch_model_health,
    )
    from app.quality.records.golden_questions import written_questions
    from app.search.index_watch import IndexWatch
    from app.search.retriever import Retriever
    from app.turns.next_questions import NextQuestionFinder
    from app.turns.turn_run import TurnTools

    async with AsyncExitStack() as closing:
        if actions is None:
            actions = await closing.enter_async_context(action_calls(base))
        limiter = configured_model_limiter(base.settings)
        model, helper = configured_models(base, closing, limiter)
        health = ModelHealth(base.clock) if model else None
        if model and health:
            watch_model_health(base.metrics, health)
            model = WatchedChatModel(model, health)
        on_refused = budget_refusals(base.metrics).inc
        model, helper = (each and budgeted(each, base.settings.prices, on_refused) for each in (model, helper))
        search = search_parts(base, model, helper)
        curated = curated_matcher(base)
        retriever = base.doubles.or_else(Retriever, lambda: search.for_turns(base.shared.cache))
        models = agent_models(base, model, closing, limiter, on_refused)
        pipeline = answer_pipeline(base, curated, models, actions, retriever)
        playground = playground_on(base, pipeline, search)
        history = History(base.record, base.shared.cache)
        indexes = IndexWatch(base.record, base.indexes.questions, base.indexes.keywords)
        tools = TurnTools(
            records=base.record,
            indexes=indexes,
            pipeline=pipeline,
            retriever=retriever,
            completer=question_completer(base, search),
            history=history,
            queues=(base.models.questions, limiter, *_reading_queue(base, model)),
            next_questions=NextQuestionFinder(
                base.record, search.candidate_finder(), base.indexes.keywords, written_questions
            ),
            on_unconfirmed=unconfirmed_sentences(base.metrics).inc,
            on_degraded=degraded_turns(base.metrics),
            together=base.settings.workspace_tokens,
        )
        searching = playground.search
        together = base.settings.workspace_tokens
        drafter = (
            AnswerDrafter(base.record, searching, models, base.models.tokens, base.clock, together) if model else None
        )
        turns = await _open_turns(base, tools, closing)
        yield Answering(searching, turns, history, curated, playground, drafter, health, indexes)


def _reading_queue(base: Infrastructure, model: ChatModel | None) -> list[SheddingReranker]:
    """The reranker, if every answer waits for it: one that is not shipped, or the shipped one if no model writes."""
    from app.providers.reranking.reranker import SheddingReranker

    reranker = base.models.reranker
    is_read = model is None or not base.models.is_reranker_shipped
    return [reranker] if is_read and isinstance(reranker, SheddingReranker) else []


async def _open_turns(base: Infrastructure, tools: TurnTools, closing: AsyncExitStack) -> Turns:
    """Open the turns of this process, which sends heartbeats while they are open."""
    from app.store.processes import ProcessFiles
    from app.turns.api.visitor_turns import VisitorTurns
    from app.turns.heartbeat import Heartbeat
    from app.turns.remote.remote_turns import SharedTurns
    from app.turns.turns import Turns

    if VisitorTurns in base.doubles:
        return cast(Turns, base.doubles[VisitorTurns])
    settings = base.settings
    shared = base.doubles.or_else(SharedTurns, lambda: configured_shared_turns(settings, base.circuits, closing))
    turns = Turns(tools, base.process, shared, settings.max_turns, settings.max_searches, base.supervisor)
    files = ProcessFiles(settings.data / "processes")
    closing.enter_context(files.held(base.process))
    await base.doubles.or_opened(
        Heartbeat,
        closing,
        lambda: Heartbeat(base.record, base.process, files=files, supervisor=base.supervisor, lost=turns.lost),
    )
    return await closing.enter_async_context(turns)


@asynccontextmanager
async def action_calls(base: Infrastructure) -> AsyncIterator[ActionCalls | None]:
    """Open the calls that answers may make, guarded like the crawler's; None without the feature."""
    from app.actions import FEATURE as ACTIONS
    from app.actions.action_calls import MAX_REPLY_BYTES, ActionCalls, counted_calls
    from app.providers.http_caller import CrawlerHttpCaller, HttpCaller

    settings = base.settings
    if ACTIONS not in base.features:
        yield None
        return
    async with AsyncExitStack() as closing:
        caller: HttpCaller = await base.doubles.or_opened(
            HttpCaller, closing, lambda: CrawlerHttpCaller(settings.crawl_allow, max_reply_bytes=MAX_REPLY_BYTES)
        )
        hosts, on_called = configured_action_hosts(settings), counted_calls(base.metrics)
        yield ActionCalls(base.record, caller, base.shared.rate_limiter, hosts, on_called)


@asynccontextmanager
async def open_playground(
    base: Infrastructure, actions: ActionCalls | None = None, *, has_models: bool = True
) -> AsyncIterator[Playground]:
    """Open a playground: answers without turns, for workers. Without models, answers quote the pages. `actions` are the
    calls that models may make, if they are open already."""
    from app.answers.writing.agent_models import NO_MODELS

    async with AsyncExitStack() as closing:
        limiter = configured_model_limiter(base.settings)
        is_asked = configured_models(base, closing, limiter) if has_models else (None, None)
        model, helper = (each and budgeted(each, base.settings.prices) for each in is_asked)
        if actions is None:
            actions = await closing.enter_async_context(action_calls(base))
        search = search_parts(base, model, helper)
        retriever = search.for_turns(base.shared.cache)
        models = agent_models(base, model, closing, limiter) if has_models else NO_MODELS
        pipeline = answer_pipeline(base, curated_matcher(base), models, actions, retriever)
        yield playground_on(base, pipeline, search)


def configured_models(
    base: Infrastructure, closing: AsyncExitStack, limiter: ConcurrencyLimiter | None = None
) -> tuple[ChatModel | None, ChatModel | None]:
    """(model that writes answers, separate model for text that visitors do not read); each may be None."""
    from app.providers.chat.chat_model import ChatModel

    if ChatModel in base.doubles:
        return cast(ChatModel | None, base.doubles[ChatModel]), None
    return (
        configured_chat_model(base.settings, base.circuits, closing, limiter),
        configured_helper_model(base.settings, base.circuits, closing, limiter),
    )


def budgeted(model: ChatModel, prices: TokenPrices, on_refused: Callable[[], None] = lambda: None) -> ChatModel:
    """The model, whose calls count for their turn and are refused beyond its budget."""
    from app.answers.token_meter import BudgetedChatModel

    return BudgetedChatModel(model, on_refused, prices)


def agent_models(
    base: Infrastructure,
    usual: ChatModel | None,
    closing: AsyncExitStack,
    limiter: ConcurrencyLimiter,
    on_refused: Callable[[], None] = lambda: None,
) -> AgentModels:
    """The models that write answers: `usual`, those that agents choose by name, and those of workspaces."""
    from app.answers.writing.agent_models import AgentModels, OwnModels
    from app.providers.chat.chat_model import NamedChatModels

    named = base.doubles.or_else(
        NamedChatModels, lambda: configured_named_models(base.settings, base.circuits, closing, limiter)
    )
    others = {name: budgeted(each, base.settings.prices, on_refused) for name, each in named.items()}
    workspaces = WorkspaceModels(base.settings)
    closing.push_async_exit(workspaces)

    def opened(endpoint: ModelEndpoint, key: str) -> ChatModel:
        return budgeted(workspaces.opened(endpoint, key, limiter), endpoint.prices, on_refused)

    return AgentModels(usual, others, base.settings.short_prompts, OwnModels(base.record, opened))


def search_parts(base: Infrastructure, model: ChatModel | None, helper: ChatModel | None = None) -> SearchParts:
    from app.kit.language_guesser import keep_languages_in
    from app.search.search_pipeline import SearchParts

    keep_languages_in(base.settings.data.resolve() / "languages")
    return SearchParts(
        base.record,
        base.models.questions,
        base.models.tokens,
        base.indexes.questions,
        base.indexes.keywords,
        base.models.reranker,
        helper or model,
        is_reranker_shipped=base.models.is_reranker_shipped,
    )


def for_operators(base: Infrastructure, search: SearchParts) -> AgentSearch:
    from app.kit.language_guesser import LanguageGuesser

    return search.for_operators(base.shared.cache, LanguageGuesser())


def curated_matcher(base: Infrastructure) -> CuratedMatcher:
    from app.answers.curated.curated_matcher import CuratedMatcher
    from app.kit.pattern_matcher import PatternMatcher

    return CuratedMatcher(base.record, PatternMatcher(), base.models.questions)


def answer_pipeline(
    base: Infrastructure,
    curated: CuratedMatcher,
    models: AgentModels,
    actions: ActionCalls | None,
    retriever: Retriever,
) -> AnswerPipeline:
    """The pipeline of answers. The agent's model writes them, if it has one, and may call `actions` and search with
    `retriever`. Without a model, or if it is down, answers quote the pages or, if no quote is sure enough, the closest
    sections."""
    from app.answers.answer_pipeline import AnswerPipeline
    from app.answers.writing.clarifying_writer import ClarifyingWriter
    from app.answers.writing.extractive_writer import ClosestSectionsWriter, ExtractiveWriter
    from app.answers.writing.model_writer import ModelWriter
    from app.answers.writing.passage_readings import PassageReadings
    from app.kit.language_guesser import LanguageGuesser

    reranker = base.models.reranker if base.models.is_reranker_shipped else None  # its weight is fitted to these logits
    readings = PassageReadings(base.models.questions, base.indexes.keywords, base.models.token_embedder, reranker)
    quotes = ExtractiveWriter(readings)
    return AnswerPipeline(
        base.record,
        curated,
        [ClarifyingWriter(quotes), ModelWriter(prompt_builder(base)), quotes, ClosestSectionsWriter(readings)],
        LanguageGuesser(),
        base.clock,
        base.models.questions,
        models,
        actions,
        retriever,
    )


def question_completer(base: Infrastructure, search: SearchParts) -> QueryContextualizer:
    """Completes questions that depend on earlier ones, with the model of search if there is one."""
    from app.answers.query_contextualizer import ModelContextualizer, QueryContextualizer, StitchingContextualizer
    from app.answers.writing.clarifying_writer import ChoiceContextualizer

    def chosen() -> QueryContextualizer:
        stitching = StitchingContextualizer()
        return ModelContextualizer(search.helper, stitching) if search.helper else stitching

    return ChoiceContextualizer(base.doubles.or_else(QueryContextualizer, chosen))


def prompt_builder(base: Infrastructure) -> PromptBuilder:
    from app.answers.writing.prompt_builder import PromptBuilder

    return PromptBuilder(base.models.tokens, clock=base.clock)


def playground_on(base: Infrastructure, pipeline: AnswerPipeline, search: SearchParts) -> Playground:
    from app.answers.playground import Playground

    completer, prompts = question_completer(base, search), prompt_builder(base)
    return Playground(base.record, pipeline, for_operators(base, search), completer, prompts, search.helper)
