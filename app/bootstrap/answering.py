"""The side that answers: search, writers, turns and conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.bootstrap.adapters import (
    configured_chat_model,
    configured_helper_model,
    configured_model_places,
    configured_shared_turns,
)

if TYPE_CHECKING:
    from app.answers.answer_drafter import AnswerDrafter
    from app.answers.curated.curated_matcher import CuratedMatcher
    from app.answers.playground import Playground
    from app.bootstrap.infrastructure import Infrastructure
    from app.conversations.conversations import Conversations
    from app.conversations.history import History
    from app.gaps.trial_answers import TrialAnswers
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
    conversations: Conversations
    history: History
    curated: CuratedMatcher
    playground: Playground
    drafter: AnswerDrafter | None
    trials: TrialSearch
    model_health: ModelHealth | None
    indexes: IndexWatch


@asynccontextmanager
async def open_search(base: Infrastructure) -> AsyncIterator[AgentSearch]:
    """Search alone, as operators ask it."""
    from app.kit.language_guesser import LanguageGuesser

    async with AsyncExitStack() as closing:
        model = configured_chat_model(base.settings, base.circuits, closing, configured_model_places(base.settings))
        helper = configured_helper_model(base.settings, base.circuits, closing)
        yield search_parts(base, model, helper).for_operators(base.cache, LanguageGuesser())


@asynccontextmanager
async def open_answering(base: Infrastructure) -> AsyncIterator[Answering]:
    """Running turns are ended and stored when the block is left."""
    from app.answers.answer_drafter import AnswerDrafter
    from app.answers.answer_pipeline import AnswerPipeline
    from app.answers.curated.curated_matcher import CuratedMatcher
    from app.answers.turn_spending import BudgetedChatModel
    from app.answers.writing.answer_writers import answer_writers, question_completer
    from app.conversations.conversations import Conversations
    from app.conversations.history import History
    from app.kit.language_guesser import LanguageGuesser
    from app.kit.pattern_matcher import PatternMatcher
    from app.providers.chat.model_health import ModelHealth, WatchedChatModel
    from app.providers.chat.model_meter import budget_refusals, unconfirmed_sentences, watch_model_health
    from app.quality.records.golden_questions import written_questions
    from app.quality.trial_search import TrialSearch
    from app.search.index_watch import IndexWatch
    from app.turns.liveness import Liveness
    from app.turns.next_questions import NextQuestionFinder
    from app.turns.turn_run import TurnTools
    from app.turns.turns import Turns

    async with AsyncExitStack() as closing:
        places = configured_model_places(base.settings)
        model = configured_chat_model(base.settings, base.circuits, closing, places)
        health = ModelHealth(base.clock) if model else None
        if model and health:
            watch_model_health(base.metrics, health)
            model = WatchedChatModel(model, health)
        helper = configured_helper_model(base.settings, base.circuits, closing, places)
        on_refused = budget_refusals(base.metrics).inc
        model, helper = (each and BudgetedChatModel(each, on_refused) for each in (model, helper))
        search = search_parts(base, model, helper)
        languages = LanguageGuesser()
        history = History(base.record, base.cache)
        indexes = IndexWatch(base.record, base.vectors, base.keywords)
        curated = CuratedMatcher(base.record, PatternMatcher(), base.questions)
        tools = TurnTools(
            records=base.record,
            indexes=indexes,
            pipeline=AnswerPipeline(
                base.record,
                curated,
                answer_writers(model, base.questions, base.keywords, base.tokens),
                languages,
                base.clock,
                base.questions,
            ),
            retriever=search.for_turns(base.cache),
            completer=question_completer(search.helping),
            history=history,
            clock=base.clock,
            queues=(base.questions, places),
            next_questions=NextQuestionFinder(base.record, search.recall(), base.keywords, written_questions),
            on_unconfirmed=unconfirmed_sentences(base.metrics).inc,
        )
        shared = configured_shared_turns(base.settings, base.circuits, closing)
        for_operators = search.for_operators(base.cache, languages)
        playground = playground_for(base, model, helper)
        async with (
            Liveness(base.record, base.process, supervisor=base.supervisor),
            Turns(
                tools, base.process, shared, base.settings.max_turns, base.settings.max_searches, base.supervisor
            ) as turns,
        ):
            yield Answering(
                for_operators,
                turns,
                Conversations(base.record, history),
                history,
                curated,
                playground,
                AnswerDrafter(base.record, for_operators, model, base.tokens, base.clock) if model else None,
                TrialSearch(for_operators, playground, PatternMatcher()),
                health,
                indexes,
            )


def search_parts(base: Infrastructure, model: ChatModel | None, helper: ChatModel | None = None) -> SearchParts:
    from app.search.search_pipeline import SearchParts

    return SearchParts(
        base.record,
        base.questions,
        base.tokens,
        base.vectors,
        base.keywords,
        base.reranker,
        base.clock,
        model,
        helper,
        is_reranker_shipped=not (base.settings.rerank_url or base.settings.rerank_folder),
    )


def playground_for(base: Infrastructure, model: ChatModel | None, helper: ChatModel | None = None) -> Playground:
    from app.answers.playground import playground_on
    from app.kit.language_guesser import LanguageGuesser
    from app.kit.pattern_matcher import PatternMatcher

    return playground_on(search_parts(base, model, helper), PatternMatcher(), base.cache, LanguageGuesser())


def trials_on(base: Infrastructure, model: ChatModel | None, helper: ChatModel | None = None) -> TrialAnswers:
    from app.gaps.trial_answers import TrialAnswers

    return TrialAnswers(playground_for(base, model, helper))


def trial_searches_on(base: Infrastructure, model: ChatModel | None, helper: ChatModel | None = None) -> TrialSearch:
    from app.kit.language_guesser import LanguageGuesser
    from app.kit.pattern_matcher import PatternMatcher
    from app.quality.trial_search import TrialSearch

    search = search_parts(base, model, helper).for_operators(base.cache, LanguageGuesser())
    return TrialSearch(search, playground_for(base, model, helper), PatternMatcher())
