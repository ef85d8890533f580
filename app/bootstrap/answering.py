"""The side that answers: search, writers, turns and conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.bootstrap.adapters import (
    configured_chat_model,
    configured_helper_model,
    configured_model_limiter,
    configured_shared_turns,
)

if TYPE_CHECKING:
    from app.actions.action_calls import ActionCalls
    from app.answers.answer_drafter import AnswerDrafter
    from app.answers.curated.curated_matcher import CuratedMatcher
    from app.answers.playground import Playground
    from app.answers.writing.passage_judge import PassageJudge
    from app.bootstrap.infrastructure import Infrastructure
    from app.conversations.history import History
    from app.providers.chat.chat_model import ChatModel
    from app.providers.chat.model_health import ModelHealth
    from app.quality.trial_search import TrialSearch
    from app.search.agent_search import AgentSearch
    from app.search.index_watch import IndexWatch
    from app.search.search_pipeline import SearchParts
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


@asynccontextmanager
async def open_search(base: Infrastructure) -> AsyncIterator[AgentSearch]:
    """Search alone, as operators ask it."""
    from app.kit.language_guesser import LanguageGuesser

    async with AsyncExitStack() as closing:
        model = configured_chat_model(base.settings, base.circuits, closing, configured_model_limiter(base.settings))
        helper = configured_helper_model(base.settings, base.circuits, closing)
        yield search_parts(base, model, helper).for_operators(base.shared.cache, LanguageGuesser())


@asynccontextmanager
async def open_answering(base: Infrastructure, actions: ActionCalls | None = None) -> AsyncIterator[Answering]:
    """`actions` are what models may call, if they are open already. Running turns are ended and stored when the
    block is left."""
    from app.answers.answer_drafter import AnswerDrafter
    from app.answers.answer_pipeline import AnswerPipeline
    from app.answers.curated.curated_matcher import CuratedMatcher
    from app.answers.token_meter import BudgetedChatModel
    from app.answers.writing.answer_writers import answer_writers, question_completer
    from app.conversations.history import History
    from app.kit.language_guesser import LanguageGuesser
    from app.kit.pattern_matcher import PatternMatcher
    from app.providers.chat.model_health import ModelHealth, WatchedChatModel
    from app.providers.chat.model_meter import budget_refusals, unconfirmed_sentences, watch_model_health
    from app.quality.records.golden_questions import written_questions
    from app.search.index_watch import IndexWatch
    from app.turns.heartbeat import Heartbeat
    from app.turns.next_questions import NextQuestionFinder
    from app.turns.turn_run import TurnTools
    from app.turns.turns import Turns

    async with AsyncExitStack() as closing:
        actions = actions or await closing.enter_async_context(action_calls(base))
        limiter = configured_model_limiter(base.settings)
        model = configured_chat_model(base.settings, base.circuits, closing, limiter)
        health = ModelHealth(base.clock) if model else None
        if model and health:
            watch_model_health(base.metrics, health)
            model = WatchedChatModel(model, health)
        helper = configured_helper_model(base.settings, base.circuits, closing, limiter)
        on_refused = budget_refusals(base.metrics).inc
        model, helper = (each and BudgetedChatModel(each, on_refused) for each in (model, helper))
        search = search_parts(base, model, helper)
        languages = LanguageGuesser()
        history = History(base.record, base.shared.cache)
        indexes = IndexWatch(base.record, base.indexes.vectors, base.indexes.keywords)
        curated = CuratedMatcher(base.record, PatternMatcher(), base.models.questions)
        judge = passage_judge(base)
        tools = TurnTools(
            records=base.record,
            indexes=indexes,
            pipeline=AnswerPipeline(
                base.record,
                curated,
                answer_writers(model, judge, base.models.tokens),
                languages,
                base.clock,
                base.models.questions,
                actions,
            ),
            retriever=search.for_turns(base.shared.cache),
            completer=question_completer(search.helper),
            history=history,
            queues=(base.models.questions, limiter),
            next_questions=NextQuestionFinder(
                base.record, search.candidate_finder(), base.indexes.keywords, written_questions
            ),
            on_unconfirmed=unconfirmed_sentences(base.metrics).inc,
        )
        shared = configured_shared_turns(base.settings, base.circuits, closing)
        for_operators = search.for_operators(base.shared.cache, languages)
        playground = playground_for(base, model, helper, judge, actions)
        turns = Turns(tools, base.process, shared, base.settings.max_turns, base.settings.max_searches, base.supervisor)
        async with Heartbeat(base.record, base.process, supervisor=base.supervisor, lost=turns.lost), turns:
            yield Answering(
                for_operators,
                turns,
                history,
                curated,
                playground,
                AnswerDrafter(base.record, for_operators, model, base.models.tokens, base.clock) if model else None,
                health,
                indexes,
            )


@asynccontextmanager
async def action_calls(base: Infrastructure) -> AsyncIterator[ActionCalls]:
    """What answers may call, through the crawler's guard."""
    from app.actions.action import ActionHosts
    from app.actions.action_calls import MAX_REPLY_BYTES, ActionCalls
    from app.actions.action_meter import counted_calls
    from app.providers.crawler_http_caller import CrawlerHttpCaller

    settings = base.settings
    async with CrawlerHttpCaller(settings.crawl_allow, max_reply_bytes=MAX_REPLY_BYTES) as caller:
        hosts, on_called = ActionHosts(settings.action_hosts), counted_calls(base.metrics)
        yield ActionCalls(base.record, caller, base.shared.rate_limiter, hosts, on_called)


def trial_search(answering: Answering) -> TrialSearch:
    """What golden questions are asked of."""
    from app.kit.pattern_matcher import PatternMatcher
    from app.quality.trial_search import TrialSearch

    return TrialSearch(answering.search, answering.playground, PatternMatcher())


def search_parts(base: Infrastructure, model: ChatModel | None, helper: ChatModel | None = None) -> SearchParts:
    from app.search.search_pipeline import SearchParts

    return SearchParts(
        base.record,
        base.models.questions,
        base.models.tokens,
        base.indexes.vectors,
        base.indexes.keywords,
        base.models.reranker,
        base.clock,
        helper or model,
        is_reranker_shipped=base.models.is_reranker_shipped,
    )


def passage_judge(base: Infrastructure) -> PassageJudge:
    from app.answers.writing.passage_judge import PassageJudge

    return PassageJudge(base.models.questions, base.indexes.keywords, base.models.token_embedder)


def playground_for(
    base: Infrastructure,
    model: ChatModel | None,
    helper: ChatModel | None = None,
    judge: PassageJudge | None = None,
    actions: ActionCalls | None = None,
) -> Playground:
    """With the judge of what visitors are answered, where this process has one: it knows passages already."""
    from app.answers.playground import playground_on
    from app.kit.language_guesser import LanguageGuesser
    from app.kit.pattern_matcher import PatternMatcher

    parts = search_parts(base, model, helper)
    judge = judge or passage_judge(base)
    return playground_on(parts, PatternMatcher(), base.shared.cache, LanguageGuesser(), judge, model, actions)


def trial_searches_on(
    base: Infrastructure, playground: Playground, model: ChatModel | None, helper: ChatModel | None = None
) -> TrialSearch:
    from app.kit.language_guesser import LanguageGuesser
    from app.kit.pattern_matcher import PatternMatcher
    from app.quality.trial_search import TrialSearch

    search = search_parts(base, model, helper).for_operators(base.shared.cache, LanguageGuesser())
    return TrialSearch(search, playground, PatternMatcher())
