"""Runs one turn, from the visitor's question to the event `done`, in the order of docs/architecture.md."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal, Protocol
from uuid import UUID

import structlog

from app.agents.agent import LiveAgent
from app.agents.agent_choices import OnDisconnect
from app.agents.records import AgentRecords
from app.agents.token_budget import UNLIMITED, WorkspaceTokens
from app.answers.answer_pipeline import AnswerPipeline, Asking, Outcome
from app.answers.curated.curated_answer import CuratedAnswer
from app.answers.curated.records import CuratedAnswerRecords
from app.answers.handoff import ReadyAnswer, refuse_while_silent
from app.answers.query_contextualizer import QueryContextualizer
from app.answers.token_meter import TokenMeter
from app.answers.writing.generation import Generation
from app.conversations.history import History, stored_history
from app.conversations.records.confirmations import ConfirmationRecords
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.turns import TurnRecords
from app.core.errors import IndexUnavailable, ModelInterrupted, Overloaded, Unavailable
from app.core.text.canned_messages import canned_messages
from app.core.turn import AnsweredBy, Exchange, Finish, TurnEnd, TurnRequest, TurnState, VisitorSession
from app.core.turn_events import Citations, Confirm, Done, Error, Start, Status, Token
from app.core.visitor_attribute import VisitorAttribute
from app.kit.tasks import end_task
from app.kit.tracing import NO_SPAN, Span, span, traced
from app.search.index_watch import IndexWatch
from app.search.retrieval import Retrieval, SearchQuery, without_candidates
from app.search.retriever import Retriever
from app.store.system_of_record import SystemOfRecord, Transaction
from app.turns.live_turn import LiveTurn
from app.turns.next_questions import NextQuestionFinder
from app.turns.turn_end_store import Checkpointer, Checkpoints, TurnEndStore

log = structlog.get_logger(__name__)

_ERROR_TEXTS = {
    "model_interrupted": "The answer broke off. What has arrived is kept; you can ask again.",
    "shutting_down": "The service is restarting. Please ask again in a moment.",
    "unavailable": "Part of the service is unavailable. Please ask again in a moment.",
    "overloaded": "Too much is asked at once. Please ask again in a moment.",
    "internal": "Something went wrong on our side. Please ask again.",
}


class WorkQueue(Protocol):
    """A queue of bounded length for something that many turns need."""

    @property
    def is_full(self) -> bool:
        """Whether a new turn would be rejected here."""
        ...


@dataclass(frozen=True, slots=True)
class TurnTools:
    """What every turn uses. `queues` are those in which a turn may have to wait. `on_unconfirmed` is called with the
    number of sentences of an answer that its sources do not confirm, `on_degraded` with the name of each part of the
    service that an answer had to do without. `together` has the token limits of each workspace."""

    records: SystemOfRecord
    indexes: IndexWatch
    pipeline: AnswerPipeline
    retriever: Retriever
    completer: QueryContextualizer
    history: History
    queues: tuple[WorkQueue, ...] = ()
    next_questions: NextQuestionFinder | None = None
    on_unconfirmed: Callable[[int], None] = lambda count: None
    on_degraded: Callable[[str], None] = lambda part: None
    together: WorkspaceTokens = UNLIMITED
    checkpoints: Checkpoints = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "checkpoints", Checkpoints(self.records))

    @property
    def are_crowded(self) -> bool:
        """Whether any queue is full, so that a new turn has to be rejected."""
        return any(queue.is_full for queue in self.queues)


class TurnRun:
    """Runs one turn, once. `stop` and `shut_down` end the writing early; the text so far is still stored."""

    def __init__(self, tools: TurnTools, session: VisitorSession, request: TurnRequest, live: LiveTurn, owner: str):
        self._tools = tools
        self._session = session
        self._request = request
        self._live = live
        self._owner = owner
        self._checkpointer = Checkpointer(tools.checkpoints, request.turn_id)
        self._ends = TurnEndStore(tools.records, session, request.turn_id, on_delay=self._tell_outage)
        self._meter = TokenMeter()
        self._span: Span = NO_SPAN
        self._began = perf_counter()
        self._writing: asyncio.Task[None] | None = None
        self._ending_writing: asyncio.Task[None] | None = None
        self._ending: Literal["", "stopped", "shutting_down"] = ""
        self.is_searching = True  # until there is something to show
        self.may_be_lost = False  # the record was down when the turn was to be stored, and may have stored it
        self.admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.admitted.add_done_callback(lambda admitted: admitted.exception())  # the caller may have left

    def stop(self) -> None:
        """End the writing; the text so far is the answer."""
        self._end_early("stopped")

    def shut_down(self) -> None:
        """End the writing with an error, because the process has to stop."""
        self._ends.give_up()
        self._end_early("shutting_down")

    @property
    def ended_late(self) -> bool:
        """Whether readers got an error although the whole answer was stored later."""
        return self._ends.was_late

    def _end_early(self, how: Literal["stopped", "shutting_down"]) -> None:
        self._ending = self._ending or how
        self._end_writing()

    def _end_writing(self) -> None:
        if self._writing and self._ending_writing is None:
            self._ending_writing = asyncio.create_task(end_task(self._writing))

    async def run(self) -> None:
        """Never raises. If the turn cannot begin, `admitted` has the exception; else the live turn ends with done or
        error."""
        about = {
            "docent.turn_id": str(self._request.turn_id),
            "docent.agent_id": str(self._session.agent_id),
            "docent.channel": self._session.channel.value,
            "gen_ai.conversation.id": str(self._session.conversation_id),
        }
        with span("docent.turn", about) as self._span:
            self._span.set_text("docent.question", self._request.message)
            await self._run()

    async def _run(self) -> None:
        generation: Generation | None = None
        self._meter.begin()
        try:
            agent, ready, asking = await self._prepare()
            pipeline = self._tools.pipeline
            if ready is not None:
                await self._begin(agent)
                generation = await pipeline.generation(agent, asking, self._show_text)
                await self._say_ready(generation, ready, asking)
                return
            search = asyncio.create_task(self._search(agent, asking))
            try:
                await self._begin(agent)
            except BaseException:
                await end_task(search)
                raise
            standalone, found = await search
            generation = await pipeline.generation(agent, asking, self._show_text, standalone=standalone, found=found)
            await self._answer(agent, generation, found, asking)
        except Exception as error:
            if not self.admitted.done():
                self.admitted.set_exception(error)
                return
            log.exception("turn.failed", turn=str(self._request.turn_id))
            await self._fail(generation, _code_of(error))

    async def _prepare(self) -> tuple[LiveAgent, ReadyAnswer | None, Asking]:
        before = self._request.earlier
        if before is None:
            before = await self._tools.history.remembered(self._session.conversation_id)
        agent, answers, history, about = await self._tools.records.of_workspace(self._session.workspace_id).read(
            lambda tx: self._read(tx, before)
        )
        language = self._tools.pipeline.language(agent, self._request.message, self._session.locale)
        session = self._session
        asking = Asking(self._request, language, session.locale, session.channel, history, about, session=session)
        ready = await self._tools.pipeline.ready(agent, answers, asking)
        if ready is not None and ready.language is not None:
            asking = replace(asking, language=ready.language)
        return agent, ready, asking

    def _read(
        self, tx: Transaction, remembered: tuple[Exchange, ...] | None
    ) -> tuple[LiveAgent, list[CuratedAnswer], tuple[Exchange, ...], tuple[VisitorAttribute, ...]]:
        """Read the agent, its curated answers, the conversation so far and the visitor's attributes for the model.
        Raises NotFound, HandedToPerson, AgentPaused."""
        agent = AgentRecords(tx).live(self._session.agent_id)
        refuse_while_silent(tx, agent, self._session)
        self._meter.limit(tx, agent, self._tools.together, self._session.visitor_id)
        answers = CuratedAnswerRecords(tx).answers(agent.id)
        if remembered is None:
            remembered = stored_history(tx, self._session.conversation_id)
        is_wanted = agent.config.prompt_attributes and self._session.is_proven
        attributes = ConversationRecords(tx).attributes(self._session.visitor_id) if is_wanted else ()
        about = tuple(each for each in attributes if each.name in agent.config.prompt_attributes)
        return agent, answers, remembered, about

    @traced("docent.begin")
    async def _begin(self, agent: LiveAgent) -> None:
        """Commit the question and the turn, then send `start`."""
        try:
            await self._tools.records.of_workspace(self._session.workspace_id).write(
                lambda tx: TurnRecords(tx).begin(self._session, self._request, agent.version, self._owner)
            )
        except Unavailable:
            self.may_be_lost = True
            raise
        if agent.config.on_disconnect is OnDisconnect.STOP:
            self._live.subscribers.when_gone(agent.config.disconnect_grace_seconds, self.stop)
        self._live.publish(Start(self._request.turn_id, self._session.conversation_id))
        self.admitted.set_result(None)

    @traced("docent.search")
    async def _search(self, agent: LiveAgent, asking: Asking) -> tuple[str, Retrieval]:
        history = asking.history if agent.config.retrieval.follow_ups else ()
        standalone = await self._tools.completer.complete(self._request.message, history)
        # The index is stemmed for the agent's language, so the question is too, whatever its own language.
        request = self._request
        query = SearchQuery(
            standalone, request.page_url, agent.config.language, asking.language, (request.only,), request.message
        )
        try:
            retrieval = await self._tools.retriever.retrieve(agent, query, self._show_stage)
        except IndexUnavailable as error:
            log.error("turn.cannot_search", agent=str(agent.id), reason=str(error))
            retrieval = Retrieval(trace={"stages": [], "missing": ["vectors", "keywords"]})
        return standalone, without_candidates(retrieval)

    async def _show_stage(self, stage: Literal["searching", "reading"]) -> None:
        """Send the stage after `start`, which may still wait for its commit."""
        await asyncio.shield(self.admitted)
        self._live.publish(Status(stage))

    def _show_text(self, piece: str, whole: str) -> None:
        self._live.publish(Token(piece))
        self._checkpointer.offer(whole)

    async def _say_ready(self, generation: Generation, ready: ReadyAnswer, asking: Asking) -> None:
        generation.answered_by = ready.answered_by
        generation.proposed = ready.proposed
        generation.say(ready.text)
        await self._finish(generation, asking, Outcome(1.0, is_low=False, gap=None), curated_id=ready.curated_id)

    async def _answer(self, agent: LiveAgent, generation: Generation, found: Retrieval, asking: Asking) -> None:
        error_code = await self._write(generation, found)
        outcome = self._tools.pipeline.outcome(agent, asking, generation, found)
        offers = None if error_code or generation.proposed else self._tools.next_questions
        further = generation.choices
        if offers and not further:
            further = await offers.after(agent, self._session, self._request, generation)
        await self._finish(
            generation, asking, outcome, error_code=error_code, trace=found.trace, next_questions=further
        )

    async def _write(self, generation: Generation, retrieval: Retrieval) -> str | None:
        """Write the answer; return an error code if it broke off, else None."""
        self.is_searching = False
        if {"vectors", "keywords"} <= set(retrieval.trace.get("missing", ())):
            generation.say(canned_messages(generation.context.language).cannot_search)
            return None
        generation.on_stage = lambda stage: self._live.publish(Status(stage))
        generation.on_stage("writing")
        self._writing = asyncio.create_task(self._tools.pipeline.write(generation))
        if self._ending:
            self._end_writing()
        try:
            await self._writing
        except asyncio.CancelledError:
            if not self._ending:
                raise
            generation.finish = Finish.STOPPED
            return "shutting_down" if self._ending == "shutting_down" else None
        except ModelInterrupted as error:
            log.warning("turn.model_interrupted", turn=str(self._request.turn_id), reason=str(error))
            return "model_interrupted"
        return None

    async def _finish(
        self,
        generation: Generation,
        asking: Asking,
        outcome: Outcome,
        *,
        curated_id: UUID | None = None,
        error_code: str | None = None,
        trace: dict[str, Any] | None = None,
        next_questions: tuple[str, ...] = (),
    ) -> None:
        """Commit the end, then send it. A question that was answered while a part of the service was down or busy
        counts as no gap, because the website is not the cause."""
        self._tools.on_unconfirmed(generation.trace.get("answer_check", {}).get("not_confirmed", 0))
        whole_trace = (
            (trace or {}) | generation.trace | self._meter.trace | {"standalone": generation.context.standalone}
        )
        if degraded := sorted({*whole_trace.get("missing", ()), *generation.context.missing}):
            whole_trace["degraded"] = degraded
            for part in degraded:
                self._tools.on_degraded(part)
        end = TurnEnd(
            state=TurnState.FAILED if error_code else TurnState.DONE,
            answer=generation.text,
            answered_by=generation.answered_by,
            confidence=round(outcome.confidence, 4),
            low_confidence=outcome.is_low,
            finish=generation.finish,
            citations=generation.citations,
            usage=self._meter.usage,
            language=generation.context.language,
            gap=None if error_code or degraded else outcome.gap,
            curated_answer_id=curated_id,
            error_code=error_code,
            first_token_ms=self._milliseconds(generation.first_token_at),
            duration_ms=self._milliseconds(perf_counter()) or 0,
            trace=whole_trace,
            next_questions=next_questions,
            proposed=None if error_code or generation.finish is Finish.STOPPED else generation.proposed,
        )
        self._note(end)
        await self._checkpointer.settle()
        message_id = await self._ends.store(end)
        if error_code or message_id is None:
            self._tell_failure(error_code or "shutting_down")
            return
        latest = Exchange(self._request.message, generation.text)
        await self._tools.history.remember(self._session.conversation_id, asking.history, latest)
        if self.ended_late:
            return
        if end.citations:
            self._live.publish(Citations(end.citations))
        if end.proposed:
            await self._ask_to_confirm()
        self._live.publish(Done.from_end(end, self._request.turn_id, message_id))

    async def _ask_to_confirm(self) -> None:
        """Send the stored confirmation, unless it was already replaced."""
        confirmation = await self._tools.records.of_workspace(self._session.workspace_id).read(
            lambda tx: ConfirmationRecords(tx).of_turn(self._request.turn_id)
        )
        if confirmation is not None:
            self._live.publish(Confirm(confirmation))

    def _note(self, end: TurnEnd) -> None:
        """Add attributes of the end to the trace's span."""
        self._span.set("docent.answered_by", end.answered_by.value)
        self._span.set("docent.confidence", end.confidence)
        self._span.set("docent.low_confidence", end.low_confidence)
        self._span.set("docent.finish", end.finish.value)
        self._span.set_text("docent.answer", end.answer)
        if end.error_code:
            self._span.fail(end.error_code)

    async def _fail(self, generation: Generation | None, code: str) -> None:
        """Store the text so far as a failed turn, and end the stream with an error."""
        end = TurnEnd(
            state=TurnState.FAILED,
            answer=generation.text if generation else "",
            answered_by=generation.answered_by if generation else AnsweredBy.FALLBACK,
            confidence=0.0,
            low_confidence=True,
            finish=Finish.STOPPED,
            usage=self._meter.usage,
            error_code=code,
            duration_ms=self._milliseconds(perf_counter()) or 0,
        )
        self._note(end)
        try:
            await self._ends.store(end)
        except Exception:
            log.exception("turn.end_not_stored", turn=str(self._request.turn_id))
        self._tell_failure(code)

    def _tell_outage(self) -> None:
        self._tell_failure("unavailable")

    def _tell_failure(self, code: str) -> None:
        """End the stream with an error, unless it has ended."""
        if not self._live.has_ended:
            self._live.publish(Error(code, _ERROR_TEXTS[code], retryable=True))

    def _milliseconds(self, moment: float | None) -> int | None:
        return None if moment is None else round((moment - self._began) * 1000)


def _code_of(error: Exception) -> str:
    """The error code of an exception: "overloaded" or "unavailable" if it is temporary, else "internal"."""
    match error:
        case Overloaded():
            return "overloaded"
        case Unavailable():
            return "unavailable"
    return "internal"
