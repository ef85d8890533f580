"""The chat model drafts an answer for operators to keep, from the pages that are nearest to the questions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID, uuid4

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.agents.token_budget import UNLIMITED, WorkspaceTokens
from app.answers.page_context import numbered_sources
from app.answers.token_meter import TokenMeter
from app.answers.writing.agent_models import AgentModels
from app.answers.writing.answer_context import AnswerContext
from app.answers.writing.generation import Generation, new_canary
from app.answers.writing.model_writer import ModelWriter
from app.answers.writing.prompt_builder import PromptBuilder
from app.conversations.records.turns import TurnRecords
from app.conversations.token_budgets import paying_agent
from app.core.chunk import RankedChunk
from app.core.errors import ModelUnavailable, RateLimited
from app.core.text.answer_words import has_failure_words, without_citations
from app.core.turn import AnsweredBy, Finish, TurnRequest
from app.kit.clock import Clock
from app.providers.token_counter import TokenCounter
from app.search.agent_search import AgentSearch
from app.search.rank_fusion import reciprocal_rank_fusion
from app.search.retrieval import SearchQuery
from app.store.system_of_record import SystemOfRecord, Transaction

_SOURCES: Final = 6
_MAX_CHARS: Final = 4000  # a kept answer may have twice as many
_NOT_SAID: Final = "NOT_SAID"
_TASK: Final = (
    "What you write now is a draft. An operator reads it, and may keep it as the answer that every visitor with such a "
    "question gets word for word. So write the answer alone: no greeting, nothing about this conversation, nothing "
    "about sources but their numbers after each statement. The visitor's message may hold several wordings of one "
    f"question: answer what they have in common. If the sources do not hold the answer, write {_NOT_SAID} and nothing "
    "else."
)


class SuggestionState(StrEnum):
    DRAFTED = "drafted"
    NOT_SAID = "not_said"  # the pages do not have the answer, or the draft cites none of them
    WITHHELD = "withheld"  # by the provider's filter or ours


@dataclass(frozen=True, slots=True)
class SuggestedSource:
    """A page that the draft cites; `url` has the section's anchor if there is one."""

    url: str
    title: str
    as_of: date | None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`sources` are empty unless it was drafted."""

    state: Annotated[
        SuggestionState, "drafted; not_said: the pages do not contain the answer; withheld: a filter stopped the draft."
    ]
    text: Annotated[str, 'Text for the `answer` of a curated answer; "" unless drafted.'] = ""
    sources: Annotated[tuple[SuggestedSource, ...], "The pages that support the draft."] = ()


class AnswerDrafter:
    """Drafts as the agent's draft answers, but without its threshold, because an operator reads the result. The model
    calls count towards the limits of the agent and of its workspace, `together`."""

    def __init__(
        self,
        records: SystemOfRecord,
        search: AgentSearch,
        models: AgentModels,
        tokens: TokenCounter,
        clock: Clock,
        together: WorkspaceTokens = UNLIMITED,
    ) -> None:
        self._records = records
        self._search = search
        self._models = models
        self._writer = ModelWriter(PromptBuilder(tokens, clock=clock))
        self._clock = clock
        self._together = together

    async def draft(
        self, workspace_id: UUID, agent_id: UUID, questions: Sequence[str], page_url: str, language: str | None
    ) -> Suggestion:
        """`questions` are wordings of one question, which a visitor asked on `page_url` in `language` (BCP 47 primary
        subtag).

        Raises NotFound for an agent that is absent or another workspace's, RateLimited if its tokens are spent,
        IndexUnavailable, ModelUnavailable, ModelInterrupted.
        """
        meter = TokenMeter()
        meter.begin()

        def work(tx: Transaction) -> Agent:
            meter.limit(tx, paying_agent(tx, workspace_id, agent_id), self._together)
            return AgentRecords(tx).agent(workspace_id, agent_id)

        known = await self._records.of_workspace(workspace_id).read(work)
        try:
            found = await self._found(workspace_id, agent_id, questions, page_url, language)
            if not found:
                return Suggestion(SuggestionState.NOT_SAID)
            model = await self._models.chosen(workspace_id, known.draft.chat_model)
            context = _answer_context(known.draft, questions, found, page_url, language)
            generation = Generation(replace(context, model=model or self._models.usual), lambda piece, whole: None)
            await generation.write((self._writer,))
        finally:
            if meter.usage.tokens:
                await self._records.of_workspace(workspace_id).write(
                    lambda tx: TurnRecords(tx).charge(agent_id, "suggestion", meter.usage)
                )
        if generation.answered_by is not AnsweredBy.MODEL:
            raise self._refusal(meter)
        return _suggestion(generation)

    async def _found(
        self, workspace_id: UUID, agent_id: UUID, questions: Sequence[str], page_url: str, language: str | None
    ) -> list[RankedChunk]:
        """The best chunks of all wordings together, best first."""
        rankings: list[tuple[RankedChunk, ...]] = []
        for question in questions:
            query = SearchQuery(question, page_url, asked_in=language)
            rankings.append((await self._search.search(workspace_id, agent_id, query, "draft")).retrieval.ranked)
        by_id = {item.chunk.id: item for ranking in rankings for item in ranking}
        order = reciprocal_rank_fusion([([item.chunk.id for item in ranking], 1.0) for ranking in rankings])
        return [by_id[chunk_id] for chunk_id in sorted(order, key=lambda each: (-order[each], each))[:_SOURCES]]

    def _refusal(self, meter: TokenMeter) -> RateLimited | ModelUnavailable:
        limit = meter.refusal
        if limit is None:
            return ModelUnavailable("The chat model is down. Try again later.")
        return RateLimited(
            f"Nothing can be drafted. {limit.spent_message}",
            round((limit.resets_at - self._clock.now()).total_seconds()),
        )


def _answer_context(
    agent: AgentConfig, questions: Sequence[str], found: Sequence[RankedChunk], page_url: str, language: str | None
) -> AnswerContext:
    question = "\n".join(questions)
    return AnswerContext(
        agent=replace(
            agent,
            custom_prompt=f"{_TASK}\n\n{agent.custom_prompt}",
            max_answer_chars=min(agent.max_answer_chars, _MAX_CHARS),
        ),
        question=question,
        standalone=questions[0],
        sources=numbered_sources(TurnRequest(uuid4(), question, page_url), found),
        language=agent.language or language,
        canary=new_canary(),
    )


def _suggestion(generation: Generation) -> Suggestion:
    if generation.finish is Finish.CONTENT_FILTER:
        return Suggestion(SuggestionState.WITHHELD)
    text = without_citations(generation.text).strip()
    if not text or not generation.citations or _NOT_SAID in text or has_failure_words(text):
        return Suggestion(SuggestionState.NOT_SAID)
    cited = {source.url: source for source in generation.citations}.values()
    sources = tuple(SuggestedSource(source.url, source.title, source.as_of) for source in cited)
    return Suggestion(SuggestionState.DRAFTED, text, sources)
