"""How an answer is made, for a visitor, an operator's trial, a rehearsal, a replay or a golden question.

Visitors' turns add durability and streaming; the others add nothing, so their results hold for turns too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.agents.agent import LiveAgent
from app.answers.curated.curated_answer import CuratedAnswer, filled_answer
from app.answers.curated.curated_matcher import CuratedMatcher
from app.answers.guard.evidence_places import KnownSections
from app.answers.handoff import ReadyAnswer, handed_over
from app.answers.offered_actions import AnswerActions, OfferedActions
from app.answers.page_context import rests_on_visitors_page, sources_with_page
from app.answers.small_talk import small_talk_answer
from app.answers.writing.agent_models import NO_MODELS, AgentModels
from app.answers.writing.answer_context import AnswerContext, AnswerWriter, Source
from app.answers.writing.answer_searches import AnswerSearches
from app.answers.writing.generation import Generation, new_canary
from app.core.chunk import Chunk
from app.core.page_url import same_page_urls
from app.core.text.answer_words import has_failure_words
from app.core.text.canned_messages import canned_messages
from app.core.text.turn_language import turn_language
from app.core.turn import NO_ANSWER, AnsweredBy, Channel, Exchange, Finish, GapReason, TurnRequest, VisitorSession
from app.core.visitor_attribute import VisitorAttribute
from app.kit.clock import Clock
from app.kit.language_guesser import LanguageGuesser
from app.kit.tracing import traced
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.embedding.embedder import Embedder
from app.search.confidence import SURE, UNGROUNDED, answer_confidence, enough
from app.search.retrieval import Retrieval, near_sources
from app.search.retriever import Retriever
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class Asking:
    """A question and its visitor. `locale` is the browser's ("" if unknown), `language` that of the answer (BCP 47
    primary subtag), `history` the conversation so far, oldest first. `about_visitor` is what the model may know about
    the visitor; `session` is None if no visitor asks."""

    request: TurnRequest
    language: str | None
    locale: str = ""
    channel: Channel = Channel.WIDGET
    history: tuple[Exchange, ...] = ()
    about_visitor: tuple[VisitorAttribute, ...] = ()
    session: VisitorSession | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The confidence in an answer, in [0, 1], whether it is low, and why the question is a gap, if it is one."""

    confidence: float
    is_low: bool
    gap: GapReason | None


class AnswerPipeline:
    """The steps in order: `language`, then `ready`, or else search and `generation`; then `write` and `outcome`.

    `writers` are tried in order, a model's only where the agent has one of `models`; with an `embedder`, a model's
    statements are checked against their sources. `actions` are offered to models, and fill in curated answers; with a
    `retriever`, models may search themselves.
    """

    def __init__(
        self,
        records: SystemOfRecord,
        curated: CuratedMatcher,
        writers: Sequence[AnswerWriter],
        languages: LanguageGuesser,
        clock: Clock,
        embedder: Embedder | None,
        models: AgentModels = NO_MODELS,
        actions: OfferedActions | None = None,
        retriever: Retriever | None = None,
    ) -> None:
        self._records = records
        self._curated = curated
        self._writers = writers
        self._languages = languages
        self._clock = clock
        self._embedder = embedder
        self._models = models
        self._actions = actions
        self._retriever = retriever
        self._sections = KnownSections()

    def language(self, agent: LiveAgent, question: str, locale: str = "") -> str | None:
        return turn_language(
            pinned=agent.config.language,
            locale=locale,
            guess=self._languages.guess(question),
            known=self._languages.languages,
        )

    @traced("docent.curated_match")
    async def ready(self, agent: LiveAgent, answers: Sequence[CuratedAnswer], asking: Asking) -> ReadyAnswer | None:
        """The answer that needs no search: a handoff for somebody who asks for a person, a curated answer, or small
        talk. A curated answer whose action returns nothing is skipped."""
        request, language = asking.request, asking.language
        if over := handed_over(agent.config, request.message, language, self._clock.now(), asking.channel):
            return over
        curated = await self._curated.find(
            answers, request.message, page_url=request.page_url, language=language, now=self._clock.now()
        )
        if curated is not None:
            filled = await filled_answer(curated.answer, lambda: self._callable(agent, asking))
            if filled is not None:
                text = filled.text or canned_messages(language).to_confirm
                return ReadyAnswer(text, AnsweredBy.CURATED, curated.id, proposed=filled.proposed)
        return small_talk_answer(
            agent.config, request.message, self._languages, history=asking.history, locale=asking.locale
        )

    async def generation(
        self,
        agent: LiveAgent,
        asking: Asking,
        on_text: Callable[[str, str], None],
        *,
        standalone: str = "",
        found: Retrieval | None = None,
    ) -> Generation:
        """Prepare an answer for `write`. Its sources are `found`, the result of searching for `standalone` ("" for the
        question itself), and the visitor's page as their browser sent it; without `found`, there are none. Models get
        only chunks near the threshold, whereas quoting writers judge every passage themselves."""
        request, threshold = asking.request, agent.config.confidence_threshold
        model = await self._models.chosen(agent.workspace_id, agent.config.chat_model)
        sources: tuple[Source, ...] = ()
        if found is not None:
            chunks = found.sources
            if model is not None:
                chunks = near_sources(chunks, threshold)
            crawled = await self._crawled_page(agent, request)
            name = canned_messages(asking.language).your_page
            own_title = f"{crawled[0].title} ({name})" if crawled and crawled[0].title else name
            sources = await sources_with_page(request, chunks, crawled, own_title)
        context = AnswerContext(
            agent=agent.config,
            question=request.message,
            standalone=(found.question if found else "") or standalone or request.message,
            read_as=found.read_as if found else "",
            read_in=found.read_in if found else None,
            bare=found.bare if found else "",
            sources=sources,
            history=asking.history,
            page_url=request.page_url,
            language=asking.language,
            canary=new_canary(),
            agent_id=agent.id,
            about_visitor=asking.about_visitor,
            actions=await self._callable(agent, asking) if found is not None and model else None,
            searches=self._searches(agent, asking) if found is not None and model else None,
            model=model,
        )
        return Generation(context, on_text, self._embedder, self._sections)

    @traced("docent.write")
    async def write(self, generation: Generation) -> None:
        """Raises ModelInterrupted; `generation` keeps the text so far."""
        writers = self._writers
        if generation.context.model is None:
            writers = [each for each in writers if each.answered_by is not AnsweredBy.MODEL]
        await generation.write(writers)

    def outcome(self, agent: LiveAgent, asking: Asking, generation: Generation, found: Retrieval) -> Outcome:
        """Judge what was written. A proposed change has confidence 1 and is never a gap. A model's answer that was
        checked counts as cited only if the check found it grounded; one failed sentence makes its confidence low."""
        if generation.proposed is not None:
            return Outcome(1.0, is_low=False, gap=None)
        verdict, best = generation.verdict, max(found.best, generation.looked_up)
        is_clarifying = generation.answered_by is AnsweredBy.CLARIFICATION
        if is_clarifying or (verdict is not None and verdict.is_talk):  # a question asked back, or thanks
            return Outcome(generation.sureness(best), is_low=False, gap=None)
        best = best if verdict is None else generation.cited_best
        on_page = generation.rests_on_action or _is_proven_by_page(asking.request, generation)
        is_cited = bool(generation.citations) and (verdict is None or verdict.is_grounded)
        confidence = answer_confidence(generation.sureness(best), is_cited=is_cited, rests_on_current_page=on_page)
        is_filtered = generation.finish is Finish.CONTENT_FILTER
        is_unsure = is_filtered or not is_cited or confidence < agent.config.confidence_threshold
        is_low = is_unsure or (_is_doubted(agent, generation, confidence) and not on_page)
        if verdict is not None and verdict.is_failed:
            is_shown = generation.finish not in (Finish.STOPPED, Finish.CONTENT_FILTER)
            return Outcome(min(confidence, UNGROUNDED), is_low=True, gap=GapReason.UNCONFIRMED if is_shown else None)
        return Outcome(confidence, is_low, _gap(generation, is_low))

    async def _callable(self, agent: LiveAgent, asking: Asking) -> AnswerActions | None:
        if self._actions is None:
            return None
        return await self._actions.for_answer(agent.workspace_id, agent.id, asking.session)

    def _searches(self, agent: LiveAgent, asking: Asking) -> AnswerSearches | None:
        most = agent.config.retrieval.answer_searches
        if self._retriever is None or not most:
            return None
        return AnswerSearches(self._retriever, agent, asking.language, asking.request.only, most)

    async def _crawled_page(self, agent: LiveAgent, request: TurnRequest) -> Sequence[Chunk]:
        """Our own copy of the page that the visitor's browser describes."""
        if not request.page_context:
            return ()
        return await self._records.of_workspace(agent.workspace_id).read(
            lambda tx: LiveDocumentRecords(tx).page_chunks(agent.id, same_page_urls(request.page_url))
        )


def _is_doubted(agent: LiveAgent, generation: Generation, confidence: float) -> bool:
    """Whether the answer is shown with a doubt: a quotation or a checked answer whose confidence is not enough."""
    is_judged = generation.answered_by is AnsweredBy.EXTRACTIVE or generation.verdict is not None
    return is_judged and confidence < enough(agent.config.confidence_threshold)


def _is_proven_by_page(request: TurnRequest, generation: Generation) -> bool:
    """Whether the first citation is the visitor's own page, and the answer a likely quotation or a model's text that is
    grounded or was not checked."""
    if not rests_on_visitors_page(request, generation.citations[:1]):
        return False
    if generation.answered_by is AnsweredBy.MODEL:
        return generation.verdict is None or generation.verdict.is_grounded
    return generation.sureness(0.0) >= SURE


def _gap(generation: Generation, is_low: bool) -> GapReason | None:
    """A failed search is our fault, not a gap of the website."""
    if generation.text == canned_messages(generation.context.language).cannot_search:
        return None
    return gap_reason(generation.answered_by, is_low, generation.text, generation.finish)


def gap_reason(answered_by: AnsweredBy, low_confidence: bool, answer: str, finish: Finish) -> GapReason | None:
    """Why this answer shows a gap, or None. Curated answers, calls for a person, replies to small talk,
    questions asked back, and answers that the visitor stopped or a filter refused never show one."""
    if answered_by in (AnsweredBy.CURATED, *NO_ANSWER) or finish in (Finish.STOPPED, Finish.CONTENT_FILTER):
        return None
    if low_confidence or answered_by is AnsweredBy.FALLBACK:
        return GapReason.LOW_CONFIDENCE
    if has_failure_words(answer):
        return GapReason.FAILURE_WORDS
    return None
