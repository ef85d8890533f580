"""All turns of this process. A turn is owned here, by the application, and never by a response that reads it."""

import asyncio
from collections.abc import Collection, Iterator
from typing import Literal
from uuid import UUID

import structlog

from app.answering.live_turn import LiveTurn
from app.answering.turn_run import TurnRun, TurnTools
from app.domain.errors import NotFound, Overloaded, TurnConflict
from app.domain.turn import Finish, StoredTurn, TurnRequest, TurnState, VisitorSession
from app.domain.turn_events import Citations, Done, Error, Start, Token, TurnEvent

log = structlog.get_logger(__name__)

KEPT_SECONDS = 600  # how long an ended turn can still be replayed event by event


class Turns:
    """`owner` names this process in the system of record; `max_running` bounds the turns answered at once."""

    def __init__(self, tools: TurnTools, owner: str, max_running: int = 200) -> None:
        self._tools = tools
        self._owner = owner
        self._max_running = max_running
        self._live: dict[UUID, LiveTurn] = {}
        self._running: dict[UUID, tuple[TurnRun, asyncio.Task[None]]] = {}
        self._is_closing = False

    @property
    def is_closing(self) -> bool:
        """No more turns are taken: the process is about to end."""
        return self._is_closing

    @property
    def running_count(self) -> int:
        return len(self._running)

    async def ask(self, session: VisitorSession, request: TurnRequest) -> LiveTurn:
        """Start the turn, or join it when its id is already known with the same body.

        Raises TurnConflict for a known id with another body, TurnInProgress while the conversation answers another
        turn, Overloaded, NotFound when the agent is gone.
        """
        known = self._live.get(request.turn_id)
        if known is not None:
            return _same(known, session, request.fingerprint)
        if self._is_closing or len(self._running) >= self._max_running:
            raise Overloaded("Too many questions are being answered right now. Please try again in a few seconds.")
        live = LiveTurn(request.turn_id, session.conversation_id, request.fingerprint)
        run = TurnRun(self._tools, session, request, live, self._owner)
        self._live[request.turn_id] = live
        task = asyncio.create_task(run.run(), name=f"turn {request.turn_id}")
        self._running[request.turn_id] = (run, task)
        task.add_done_callback(lambda _: self._ended(request.turn_id))
        try:
            await asyncio.shield(run.admitted)
        except TurnConflict:
            stored = await self._stored(session, request.turn_id)
            if stored is None or stored.fingerprint != request.fingerprint:
                raise
            return _replay(stored)
        return live

    async def rejoin(self, session: VisitorSession, turn_id: UUID, after: int = 0) -> LiveTurn:
        """The turn as it stands, for a reader that has its events up to number `after`.

        Raises NotFound for a turn that is not this conversation's. A turn that is known from the record alone has
        lost its numbers, so it is not found either for a reader in its middle: that one asks it again under the same
        id, and gets it from the start.
        """
        live = self._live.get(turn_id)
        if live is not None and live.conversation_id == session.conversation_id:
            return live
        stored = await self._stored(session, turn_id)
        if stored is None or after > 0:
            raise NotFound("turn")
        return _replay(stored)

    async def stop(self, session: VisitorSession, turn_id: UUID) -> None:
        """End the writing; the text so far is the answer. A turn that has ended stays as it is.

        Raises NotFound.
        """
        await self.rejoin(session, turn_id)
        for run in self._run_of(turn_id):
            run.stop()

    async def feedback(
        self, session: VisitorSession, turn_id: UUID, rating: Literal["up", "down"], comment: str
    ) -> None:
        """Raises NotFound."""
        async with self._tools.records.write() as records:
            await records.turns.feedback(session, turn_id, rating, comment)

    async def end_of(self, conversation_ids: Collection[UUID]) -> None:
        """End the running turns of these conversations, and forget the events of all of theirs."""
        theirs = [turn_id for turn_id, live in self._live.items() if live.conversation_id in conversation_ids]
        running = [self._running[turn_id] for turn_id in theirs if turn_id in self._running]
        for run, _ in running:
            run.stop()
        if running:
            await asyncio.wait([task for _, task in running])
        for turn_id in theirs:
            self._live.pop(turn_id, None)

    async def drain(self, seconds: float) -> None:
        """Take no more turns, give the running ones `seconds` to end, then end them; all are stored on return."""
        self._is_closing = True
        tasks = [task for _, task in self._running.values()]
        if not tasks:
            return
        await asyncio.wait(tasks, timeout=seconds)
        for run, _ in list(self._running.values()):
            run.shut_down()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _stored(self, session: VisitorSession, turn_id: UUID) -> StoredTurn | None:
        async with self._tools.records.read() as records:
            stored = await records.turns.find(turn_id)
        if stored is None or stored.conversation_id != session.conversation_id:
            return None
        return stored

    def _run_of(self, turn_id: UUID) -> Iterator[TurnRun]:
        if turn_id in self._running:
            yield self._running[turn_id][0]

    def _ended(self, turn_id: UUID) -> None:
        del self._running[turn_id]
        live = self._live[turn_id]
        if not live.has_ended:  # it was never admitted
            del self._live[turn_id]
            return
        asyncio.get_running_loop().call_later(KEPT_SECONDS, self._live.pop, turn_id, None)


def _same(live: LiveTurn, session: VisitorSession, fingerprint: str) -> LiveTurn:
    if live.conversation_id != session.conversation_id or live.fingerprint != fingerprint:
        raise TurnConflict("This turn_id belongs to another question. Send a new random UUID for each question.")
    return live


def _replay(stored: StoredTurn) -> LiveTurn:
    events = list(_events(stored))
    return LiveTurn.finished(stored.id, stored.conversation_id, stored.fingerprint, events)


def _events(stored: StoredTurn) -> Iterator[TurnEvent]:
    yield Start(stored.id, stored.conversation_id)
    if stored.answer:
        yield Token(stored.answer)
    if stored.state is TurnState.DONE and stored.message_id and stored.answered_by:
        if stored.citations:
            yield Citations(stored.citations)
        yield Done(
            turn_id=stored.id,
            message_id=stored.message_id,
            answered_by=stored.answered_by,
            low_confidence=stored.low_confidence,
            confidence=stored.confidence or 0.0,
            finish=stored.finish or Finish.COMPLETE,
        )
    elif stored.state is TurnState.RUNNING:
        yield Error("internal", "This question is being answered elsewhere. Please try again shortly.", retryable=True)
    else:
        yield Error(stored.error_code or "internal", "This answer was cut off. Please ask again.", retryable=True)
