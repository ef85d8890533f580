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
    from app.answering.agent_search import AgentSearch
    from app.answering.answer_drafter import AnswerDrafter
    from app.answering.conversation_end import ConversationEnd
    from app.answering.conversations import Conversations
    from app.answering.curated_matcher import CuratedMatcher
    from app.answering.history import History
    from app.answering.index_watch import IndexWatch
    from app.answering.model_health import ModelHealth
    from app.answering.playground import Playground
    from app.answering.search_pipeline import SearchParts
    from app.answering.trial_answers import TrialAnswers
    from app.answering.trial_search import TrialSearch
    from app.answering.turns import Turns
    from app.bootstrap.infrastructure import Infrastructure
    from app.ports.chat_model import ChatModel


@dataclass(frozen=True, slots=True)
class Answering:
    search: AgentSearch
    turns: Turns
    conversations: Conversations
    conversation_end: ConversationEnd
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
    from app.adapters.langid_language_guesser import LangidLanguageGuesser

    async with AsyncExitStack() as closing:
        model = configured_chat_model(base.settings, base.circuits, closing, configured_model_places(base.settings))
        helper = configured_helper_model(base.settings, base.circuits, closing)
        yield search_parts(base, model, helper).for_operators(base.cache, LangidLanguageGuesser())


@asynccontextmanager
async def open_answering(base: Infrastructure) -> AsyncIterator[Answering]:
    """Running turns are ended and stored when the block is left."""
    from app.adapters.budget_meter import budget_refusals
    from app.adapters.langid_language_guesser import LangidLanguageGuesser
    from app.adapters.model_meter import unconfirmed_sentences, watch_model_health
    from app.adapters.re2_pattern_matcher import Re2PatternMatcher
    from app.answering.answer_drafter import AnswerDrafter
    from app.answering.answer_writers import answer_writers, question_completer
    from app.answering.conversation_end import ConversationEnd
    from app.answering.conversations import Conversations
    from app.answering.curated_matcher import CuratedMatcher
    from app.answering.history import History
    from app.answering.index_watch import IndexWatch
    from app.answering.liveness import Liveness
    from app.answering.model_health import ModelHealth, WatchedChatModel
    from app.answering.trial_search import TrialSearch
    from app.answering.turn_run import TurnTools
    from app.answering.turn_spending import BudgetedChatModel
    from app.answering.turns import Turns

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
        languages = LangidLanguageGuesser()
        history = History(base.record, base.cache)
        indexes = IndexWatch(base.record, base.vectors, base.keywords)
        tools = TurnTools(
            records=base.record,
            indexes=indexes,
            curated=CuratedMatcher(base.record, Re2PatternMatcher(), base.questions),
            retriever=search.for_turns(base.cache),
            completer=question_completer(search.helping),
            writers=answer_writers(model, base.questions, base.keywords, base.tokens),
            history=history,
            languages=languages,
            clock=base.clock,
            queues=(base.questions, places),
            embedder=base.questions,
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
                ConversationEnd(turns, history),
                history,
                tools.curated,
                playground,
                AnswerDrafter(base.record, for_operators, model, base.tokens, base.clock) if model else None,
                TrialSearch(for_operators, playground, Re2PatternMatcher()),
                health,
                indexes,
            )


def search_parts(base: Infrastructure, model: ChatModel | None, helper: ChatModel | None = None) -> SearchParts:
    from app.answering.search_pipeline import SearchParts

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
    from app.adapters.langid_language_guesser import LangidLanguageGuesser
    from app.adapters.re2_pattern_matcher import Re2PatternMatcher
    from app.answering.playground import playground_on

    return playground_on(search_parts(base, model, helper), Re2PatternMatcher(), base.cache, LangidLanguageGuesser())


def trials_on(base: Infrastructure, model: ChatModel | None, helper: ChatModel | None = None) -> TrialAnswers:
    from app.answering.trial_answers import TrialAnswers

    return TrialAnswers(playground_for(base, model, helper))


def trial_searches_on(base: Infrastructure, model: ChatModel | None, helper: ChatModel | None = None) -> TrialSearch:
    from app.adapters.langid_language_guesser import LangidLanguageGuesser
    from app.adapters.re2_pattern_matcher import Re2PatternMatcher
    from app.answering.trial_search import TrialSearch

    search = search_parts(base, model, helper).for_operators(base.cache, LangidLanguageGuesser())
    return TrialSearch(search, playground_for(base, model, helper), Re2PatternMatcher())
