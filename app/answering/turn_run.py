"""One turn, from the visitor's question to the receipt, in the order of the design."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal
from uuid import UUID

import structlog

from app.answering.brief import AnswerBrief, AnswerWriter, Source
from app.answering.checkpointer import Checkpointer, Checkpoints
from app.answering.composition import Composition, new_canary
from app.answering.curated_matcher import CuratedMatcher
from app.answering.handoff import ReadyAnswer, handed_over, of_curated, refuse_while_a_person_talks
from app.answering.history import History
from app.answering.index_watch import IndexWatch
from app.answering.live_turn import LiveTurn
from app.answering.page_context import rests_on_visitors_page, sources_with_page
from app.answering.retrieval import Retrieval, SearchQuery
from app.answering.retrieval_trace import without_candidates
from app.answering.retriever import Retriever
from app.answering.small_talk_answer import small_talk_answer
from app.answering.standalone import QuestionCompleter
from app.answering.turn_end_store import TurnEndStore
from app.answering.turn_spending import TurnSpending
from app.domain.agent import LiveAgent
from app.domain.chunk import Chunk
from app.domain.confidence import answer_confidence
from app.domain.errors import IndexUnavailable, ModelInterrupted
from app.domain.gap import GapReason
from app.domain.gap_detector import gap_reason
from app.domain.on_disconnect import OnDisconnect
from app.domain.own_words import own_words
from app.domain.page_url import same_page_urls
from app.domain.turn import AnsweredBy, Exchange, Finish, TurnEnd, TurnRequest, TurnState, VisitorSession
from app.domain.turn_events import Citations, Done, Error, Start, Status, Token
from app.domain.turn_language import turn_language
from app.kit.ended_task import end_task
from app.ports.clock import Clock
from app.ports.embedder import Embedder
from app.ports.language_guesser import LanguageGuesser
from app.ports.work_queue import WorkQueue
from app.store.agents import AgentRecords
from app.store.curated_answers import CuratedAnswerRecords
from app.store.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord
from app.store.turns import TurnRecords

log = structlog.get_logger(__name__)

_ERROR_TEXTS = {
    "model_interrupted": "The answer broke off. What has arrived is kept; you can ask again.",
    "shutting_down": "The service is restarting. Please ask again in a moment.",
    "internal": "Something went wrong on our side. Please ask again.",
}


@dataclass(frozen=True, slots=True)
class TurnTools:
    """What every turn works with. `writers` are tried in order; `queues` are those that a turn may have to wait in.
    With an `embedder` what a model writes is looked up in its sources; `on_unconfirmed` hears how many sentences were
    not found there.
    """

    records: SystemOfRecord
    indexes: IndexWatch
    curated: CuratedMatcher
    retriever: Retriever
    completer: QuestionCompleter
    writers: tuple[AnswerWriter, ...]
    history: History
    languages: LanguageGuesser
    clock: Clock
    queues: tuple[WorkQueue, ...] = ()
    embedder: Embedder | None = None
    on_unconfirmed: Callable[[int], None] = lambda count: None
    checkpoints: Checkpoints = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "checkpoints", Checkpoints(self.records))

    @property
    def are_crowded(self) -> bool:
        """A turn that began now could not wait where it may have to."""
        return any(queue.is_full for queue in self.queues)


class TurnRun:
    """Runs once. `stop` and `shut_down` end the writing early; what was written is stored all the same."""

    def __init__(self, tools: TurnTools, session: VisitorSession, request: TurnRequest, live: LiveTurn, owner: str):
        self._tools = tools
        self._session = session
        self._request = request
        self._live = live
        self._owner = owner
        self._checkpointer = Checkpointer(tools.checkpoints, request.turn_id)
        self._ends = TurnEndStore(tools.records, request.turn_id, on_delay=self._tell_failure)
        self._spending = TurnSpending()
        self._began = perf_counter()
        self._language: str | None = None
        self._writing: asyncio.Task[None] | None = None
        self._ending_writing: asyncio.Task[None] | None = None
        self._ending: Literal["", "stopped", "shutting_down"] = ""
        self.is_searching = True  # until something may be said
        self.admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.admitted.add_done_callback(lambda admitted: admitted.exception())  # the asker may have left

    def stop(self) -> None:
        """The visitor has read enough."""
        self._end_early("stopped")

    def shut_down(self) -> None:
        """The process must go."""
        self._ends.give_up()
        self._end_early("shutting_down")

    @property
    def has_told_less(self) -> bool:
        """Readers heard an error, and the record has the whole end."""
        return self._ends.was_late

    def _end_early(self, how: Literal["stopped", "shutting_down"]) -> None:
        self._ending = self._ending or how
        self._end_writing()

    def _end_writing(self) -> None:
        if self._writing and self._ending_writing is None:
            self._ending_writing = asyncio.create_task(end_task(self._writing))

    async def run(self) -> None:
        """Never raises. `admitted` carries what begin raised; afterwards the live turn always ends with done or
        error."""
        composition: Composition | None = None
        self._spending.begin()
        try:
            agent, ready, history = await self._prepare()
            if ready is not None:
                await self._begin(agent)
                composition = self._composition(agent, (), self._request.message, history)
                await self._say_ready(composition, ready, history)
                return
            search = asyncio.create_task(self._search(agent, history))
            try:
                await self._begin(agent)
            except BaseException:
                await end_task(search)
                raise
            standalone, retrieval = await search
            sources = await sources_with_page(
                self._request,
                retrieval.sources,
                await self._crawled_page(agent),
                own_words(self._language).your_page,
            )
            composition = self._composition(agent, sources, standalone, history)
            await self._answer(agent, composition, retrieval, history)
        except Exception as error:
            if not self.admitted.done():
                self.admitted.set_exception(error)
                return
            log.exception("turn.failed", turn=str(self._request.turn_id))
            await self._fail(composition, "internal")

    async def _prepare(self) -> tuple[LiveAgent, ReadyAnswer | None, tuple[Exchange, ...]]:
        history = await self._tools.history.recent(self._session.conversation_id)
        async with self._tools.records.read() as tx:
            agent = await AgentRecords(tx).live(self._session.agent_id)
            await refuse_while_a_person_talks(tx, agent.config, self._session)
            await self._spending.limit(tx, agent, self._tools.clock)
            answers = await CuratedAnswerRecords(tx).of_agent(agent.id)
        self._language = turn_language(
            pinned=agent.config.language,
            locale=self._session.locale,
            guess=self._tools.languages.guess(self._request.message),
            known=self._tools.languages.languages,
        )
        if over := handed_over(agent.config, self._request.message, self._language, self._session.channel):
            return agent, over, history
        curated = await self._tools.curated.find(
            answers,
            self._request.message,
            page_url=self._request.page_url,
            language=self._language,
            now=self._tools.clock.now(),
        )
        if curated is not None:
            return agent, of_curated(curated), history
        talk = small_talk_answer(
            agent.config,
            self._request.message,
            self._tools.languages,
            history=history,
            locale=self._session.locale,
        )
        if talk is not None:
            self._language = talk.language
        return agent, talk, history

    async def _begin(self, agent: LiveAgent) -> None:
        """Question and turn are committed before `start` is sent."""
        await self._tools.records.write_at_once(
            lambda tx: TurnRecords(tx).begin(self._session, self._request, agent.version, self._owner)
        )
        if agent.config.on_disconnect is OnDisconnect.STOP:
            self._live.presence.when_gone(agent.config.disconnect_grace_seconds, self.stop)
        self._live.publish(Start(self._request.turn_id, self._session.conversation_id))
        self.admitted.set_result(None)

    async def _search(self, agent: LiveAgent, history: tuple[Exchange, ...]) -> tuple[str, Retrieval]:
        completes = agent.config.retrieval.follow_ups
        standalone = await self._tools.completer.complete(self._request.message, history if completes else ())
        # The index is stemmed for the agent's language, so the question is too, whatever it is written in.
        asked = self._request
        query = SearchQuery(standalone, asked.page_url, agent.config.language, self._language, (asked.only,))
        try:
            retrieval = await self._tools.retriever.retrieve(agent, query, self._show_stage)
        except IndexUnavailable as error:
            log.error("turn.cannot_search", agent=str(agent.id), reason=str(error))
            retrieval = Retrieval(trace={"stages": [], "missing": ["vectors", "keywords"]})
        return standalone, without_candidates(retrieval)

    async def _crawled_page(self, agent: LiveAgent) -> Sequence[Chunk]:
        """Our own copy of the page that the visitor's browser tells us of."""
        if not self._request.page_context:
            return ()
        async with self._tools.records.read() as tx:
            return await LiveDocumentRecords(tx).page_chunks(agent.id, same_page_urls(self._request.page_url))

    async def _show_stage(self, stage: Literal["searching", "reading"]) -> None:
        """`start` comes first, whatever is faster."""
        await asyncio.shield(self.admitted)
        self._live.publish(Status(stage))

    def _composition(
        self,
        agent: LiveAgent,
        sources: tuple[Source, ...],
        standalone: str,
        history: tuple[Exchange, ...],
    ) -> Composition:
        brief = AnswerBrief(
            agent=agent.config,
            question=self._request.message,
            standalone=standalone,
            sources=sources,
            history=history,
            page_url=self._request.page_url,
            language=self._language,
            canary=new_canary(),
            agent_id=agent.id,
        )
        return Composition(brief, self._show_text, self._tools.embedder)

    def _show_text(self, piece: str, whole: str) -> None:
        self._live.publish(Token(piece))
        self._checkpointer.offer(whole)

    async def _say_ready(self, composition: Composition, ready: ReadyAnswer, history: tuple[Exchange, ...]) -> None:
        composition.answered_by = ready.answered_by
        composition.say(ready.text)
        await self._finish(composition, history, confidence=1.0, is_low=False, curated_id=ready.curated_id)

    async def _answer(
        self, agent: LiveAgent, composition: Composition, retrieval: Retrieval, history: tuple[Exchange, ...]
    ) -> None:
        error_code = await self._write(composition, retrieval)
        on_page = rests_on_visitors_page(self._request, composition.citations)
        is_cited = bool(composition.citations)
        confidence = answer_confidence(
            composition.sureness(retrieval.best), is_cited=is_cited, rests_on_current_page=on_page
        )
        is_low = retrieval.is_low_confidence and not on_page
        await self._finish(
            composition,
            history,
            confidence=confidence,
            is_low=is_low or not is_cited or confidence < agent.config.confidence_threshold,
            error_code=error_code,
            trace=retrieval.trace,
        )

    async def _write(self, composition: Composition, retrieval: Retrieval) -> str | None:
        """Run the writers; return the error code when they were not allowed to end."""
        self.is_searching = False
        if {"vectors", "keywords"} <= set(retrieval.trace.get("missing", ())):
            composition.say(own_words(composition.brief.language).cannot_search)
            return None
        self._live.publish(Status("writing"))
        self._writing = asyncio.create_task(composition.write(self._tools.writers))
        if self._ending:
            self._end_writing()
        try:
            await self._writing
        except asyncio.CancelledError:
            if not self._ending:
                raise
            composition.finish = Finish.STOPPED
            return "shutting_down" if self._ending == "shutting_down" else None
        except ModelInterrupted as error:
            log.warning("turn.model_interrupted", turn=str(self._request.turn_id), reason=str(error))
            return "model_interrupted"
        return None

    async def _finish(
        self,
        composition: Composition,
        history: tuple[Exchange, ...],
        *,
        confidence: float,
        is_low: bool,
        curated_id: UUID | None = None,
        error_code: str | None = None,
        trace: dict[str, Any] | None = None,
    ) -> None:
        """Commit the end, then say so."""
        self._tools.on_unconfirmed(composition.trace.get("answer_check", {}).get("not_confirmed", 0))
        end = TurnEnd(
            state=TurnState.FAILED if error_code else TurnState.DONE,
            answer=composition.text,
            answered_by=composition.answered_by,
            confidence=round(confidence, 4),
            low_confidence=is_low,
            finish=composition.finish,
            citations=composition.citations,
            usage=self._spending.usage,
            language=composition.brief.language,
            gap=self._gap(composition, is_low) if error_code is None else None,
            curated_answer_id=curated_id,
            error_code=error_code,
            first_token_ms=self._milliseconds(composition.first_token_at),
            duration_ms=self._milliseconds(perf_counter()) or 0,
            trace=(trace or {})
            | composition.trace
            | self._spending.trace
            | {"standalone": composition.brief.standalone},
        )
        await self._checkpointer.settle()
        message_id = await self._ends.store(end)
        if error_code or message_id is None:
            self._tell_failure(error_code or "shutting_down")
            return
        latest = Exchange(self._request.message, composition.text)
        await self._tools.history.remember(self._session.conversation_id, history, latest)
        if self.has_told_less:
            return
        if end.citations:
            self._live.publish(Citations(end.citations))
        self._live.publish(
            Done(
                turn_id=self._request.turn_id,
                message_id=message_id,
                answered_by=end.answered_by,
                low_confidence=end.low_confidence,
                confidence=end.confidence,
                finish=end.finish,
            )
        )

    def _gap(self, composition: Composition, is_low: bool) -> GapReason | None:
        """What could not be searched is our fault and no gap of the website."""
        if composition.text == own_words(composition.brief.language).cannot_search:
            return None
        return gap_reason(composition.answered_by, is_low, composition.text, composition.finish)

    async def _fail(self, composition: Composition | None, code: str) -> None:
        """Keep what there is."""
        end = TurnEnd(
            state=TurnState.FAILED,
            answer=composition.text if composition else "",
            answered_by=composition.answered_by if composition else AnsweredBy.FALLBACK,
            confidence=0.0,
            low_confidence=True,
            finish=Finish.STOPPED,
            usage=self._spending.usage,
            error_code=code,
            duration_ms=self._milliseconds(perf_counter()) or 0,
        )
        try:
            await self._ends.store(end)
        except Exception:
            log.exception("turn.end_not_stored", turn=str(self._request.turn_id))
        self._tell_failure(code)

    def _tell_failure(self, code: str = "internal") -> None:
        """The stream's end, unless it has one."""
        if not self._live.has_ended:
            self._live.publish(Error(code, _ERROR_TEXTS[code], retryable=True))

    def _milliseconds(self, moment: float | None) -> int | None:
        return None if moment is None else round((moment - self._began) * 1000)
