"""All turns of this process. The application owns them, never the response that streams them."""

import asyncio
from collections.abc import Collection
from contextlib import aclosing
from typing import Literal, Self
from uuid import UUID

import structlog

from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.errors import NotFound, Overloaded, TurnConflict, Unavailable
from app.core.turn import StoredTurn, TurnRequest, TurnState, VisitorSession
from app.core.turn_events import FIRST_RECORD_NUMBER, TurnFeed
from app.kit.tasks import Supervisor, end_task
from app.turns.live_turn import LiveTurn, replayed
from app.turns.remote.log_writer import LogWriter
from app.turns.remote.remote_turns import RemoteTurns, SharedTurns
from app.turns.remote.turn_log import KEPT_SECONDS, TurnHead, TurnOrder
from app.turns.turn_run import TurnRun, TurnTools

log = structlog.get_logger(__name__)

_ORDERS = "turn orders"
_END_SECONDS = 5.0  # to wait until stopped turns are stored, because the record may be down


class Turns:
    """`owner` identifies this process in the system of record and to other processes. `max_running` limits the turns
    answered at once, `max_searching` those of them that have not begun to write. Inside its block, turns are shared
    with the other processes; at its end, all are ended and stored."""

    def __init__(
        self,
        tools: TurnTools,
        owner: str,
        shared: SharedTurns,
        max_running: int = 200,
        max_searching: int = 30,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._tools = tools
        self._owner = owner
        self._shared = shared
        self._max_running = max_running
        self._max_searching = max_searching
        self._elsewhere = RemoteTurns(tools.records, shared, owner)
        self._supervisor = supervisor or Supervisor()
        self._writer = LogWriter(shared.log, self._supervisor)
        self.lost: set[UUID] = set()  # may be `running` in the record, but run nowhere
        self._live: dict[UUID, LiveTurn] = {}
        self._running: dict[UUID, tuple[TurnRun, asyncio.Task[None]]] = {}
        self._obeying: asyncio.Task[None] | None = None
        self._is_closing = False

    async def __aenter__(self) -> Self:
        await self._writer.__aenter__()
        self._obeying = asyncio.create_task(self._supervisor.keep_going(_ORDERS, self._obey), name=_ORDERS)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.drain(0)
        if self._obeying:
            await end_task(self._obeying)
        await self._elsewhere.close()
        await self._writer.__aexit__(None, None, None)

    @property
    def is_closing(self) -> bool:
        """Whether the process is about to stop, and accepts no more turns."""
        return self._is_closing

    @property
    def running_count(self) -> int:
        return len(self._running)

    async def ask(self, session: VisitorSession, request: TurnRequest) -> TurnFeed:
        """Start the turn, or join it in whichever process it runs, if its id is known with the same body.

        Raises TurnConflict for a known id with another body, TurnInProgress while the conversation has another running
        turn, Overloaded, IndexUnavailable while the indexes are empty, NotFound if the agent is gone.
        """
        if request.turn_id not in self._live:
            await self._tools.indexes.require(session.agent_id)
        known = self._live.get(request.turn_id)
        if known is not None and (known.head != _head(session, request)):
            raise TurnConflict("This turn_id belongs to another question. Send a new random UUID for each question.")
        if known is not None:
            return await self._admitted(known, session, request)
        if self._is_closing or self._is_full or self._tools.are_crowded:
            raise Overloaded("Too many questions are being answered right now. Please try again in a few seconds.")
        live = self._new_turn(_head(session, request))
        run = TurnRun(self._tools, session, request, live, self._owner)
        self.lost.discard(request.turn_id)
        task = asyncio.create_task(self._run(run, request.turn_id), name=f"turn {request.turn_id}")
        self._running[request.turn_id] = (run, task)
        task.add_done_callback(lambda _: self._ended(request.turn_id))
        return await self._admitted(live, session, request)

    async def rejoin(self, session: VisitorSession, turn_id: UUID, after: int = 0) -> TurnFeed:
        """The turn for a reader that has its events up to number `after`.

        Raises NotFound for a turn of another conversation, and also if only the record has the turn and `after` is not
        0, because events in the record have no such numbers: the reader then asks again with the same id, and gets the
        turn from its start.
        """
        if after >= FIRST_RECORD_NUMBER:
            raise NotFound("turn")
        live = self._live.get(turn_id)
        if live is not None and live.last_number > 0 and live.conversation_id == session.conversation_id:
            return live
        mirror = await self._elsewhere.find(session, turn_id, after)
        if mirror is not None:
            return mirror
        stored = await self._stored(session, turn_id)
        if stored is None or after > 0:
            raise NotFound("turn")
        return await self._of_another(session, stored)

    async def stop(self, session: VisitorSession, turn_id: UUID) -> None:
        """End the writing, in whichever process it runs; the text so far becomes the answer. Has no effect on an ended
        turn. Raises NotFound; Unavailable if the owner cannot be reached."""
        if turn_id in self._live:
            await self.rejoin(session, turn_id)
            self._stop_here(turn_id)
            return
        stored = await self._stored(session, turn_id)
        if stored is None:
            raise NotFound("turn")
        if stored.state is TurnState.RUNNING:
            await self._elsewhere.stop(turn_id)

    async def feedback(
        self, session: VisitorSession, turn_id: UUID, rating: Literal["up", "down"], comment: str
    ) -> None:
        """Raises NotFound."""
        await self._tools.records.of_workspace(session.workspace_id).write(
            lambda tx: TurnRecords(tx).feedback(session, turn_id, rating, comment)
        )

    async def end(self, conversation_ids: Collection[UUID]) -> None:
        """Implements `ConversationTerminator`, in every process."""
        await self._end_here(conversation_ids)
        await self._elsewhere.end_of(conversation_ids)
        for conversation_id in conversation_ids:
            await self._tools.history.forget(conversation_id)

    async def drain(self, seconds: float) -> None:
        """Accept no more turns, give the running ones `seconds` to end, then end them; all are stored on return."""
        self._is_closing = True
        tasks = [task for _, task in self._running.values()]
        if not tasks:
            return
        await asyncio.wait(tasks, timeout=seconds)
        for run, _ in list(self._running.values()):
            run.shut_down()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def _is_full(self) -> bool:
        """Whether to reject a new turn. Searching needs the CPU: with too many searches at once, all would time out."""
        searching = sum(run.is_searching for run, _ in self._running.values())
        return len(self._running) >= self._max_running or searching >= self._max_searching

    def _new_turn(self, head: TurnHead) -> LiveTurn:
        is_copied = self._shared.log.is_shared
        live = LiveTurn(head, grown=(lambda: self._writer.grown(live)) if is_copied else None)
        self._live[head.turn_id] = live
        return live

    async def _run(self, run: TurnRun, turn_id: UUID) -> None:
        await run.run()
        if run.may_be_lost:
            self.lost.add(turn_id)
        if run.ended_late:  # later readers get it from the record
            self._drop(turn_id)
            try:
                await self._shared.log.forget([turn_id])
            except Unavailable as error:
                log.warning("turn_log.not_forgotten", reason=str(error))

    async def _admitted(self, live: LiveTurn, session: VisitorSession, request: TurnRequest) -> TurnFeed:
        """The turn once it has begun, here or earlier in another process. Raises what prevented it."""
        try:
            if live.turn_id in self._running:
                await asyncio.shield(self._running[live.turn_id][0].admitted)
        except TurnConflict:
            stored = await self._stored(session, request.turn_id)
            if stored is None or stored.fingerprint != request.fingerprint:
                raise
            return await self._of_another(session, stored)
        return live

    async def _of_another(self, session: VisitorSession, stored: StoredTurn) -> TurnFeed:
        """A turn of another process; its events keep their numbers as long as the log has it."""
        if stored.state is TurnState.RUNNING:
            return self._elsewhere.running(stored)
        return await self._elsewhere.find(session, stored.id) or replayed(stored)

    async def _obey(self) -> None:
        async with aclosing(self._shared.orders.received()) as orders:
            async for order in orders:
                try:
                    await self._follow_order(order)
                except Exception as error:
                    self._supervisor.note_failure(_ORDERS, error)

    async def _follow_order(self, order: TurnOrder) -> None:
        if order.kind == "end" and order.sender != self._owner:
            await self._shared.log.forget(await self._end_here(order.ids))
            self._elsewhere.forget(order.ids)
        for turn_id in order.ids:
            if order.kind == "stop":
                self._stop_here(turn_id)
            elif order.kind in ("read", "left") and turn_id in self._live:
                self._live[turn_id].subscribers.elsewhere(order.sender, order.kind == "read")

    def _stop_here(self, turn_id: UUID) -> None:
        if turn_id in self._running:
            self._running[turn_id][0].stop()

    async def _end_here(self, conversation_ids: Collection[UUID]) -> list[UUID]:
        """End and forget the turns of these conversations in this process; return their ids."""
        theirs = [turn_id for turn_id, live in self._live.items() if live.conversation_id in conversation_ids]
        running = [self._running[turn_id] for turn_id in theirs if turn_id in self._running]
        for run, _ in running:
            run.stop()
        if running:
            await asyncio.wait([task for _, task in running], timeout=_END_SECONDS)
        for turn_id in theirs:
            self._live.pop(turn_id, None)
            self._writer.forget(turn_id)
        return theirs

    async def _stored(self, session: VisitorSession, turn_id: UUID) -> StoredTurn | None:
        stored = await self._tools.records.of_workspace(session.workspace_id).read(
            lambda tx: StoredTurnRecords(tx).find(turn_id)
        )
        if stored is None or stored.conversation_id != session.conversation_id:
            return None
        return stored

    def _ended(self, turn_id: UUID) -> None:
        del self._running[turn_id]
        live = self._live.get(turn_id)
        if live is None:
            return
        if not live.has_ended:  # it was never admitted
            del self._live[turn_id]
            return
        asyncio.get_running_loop().call_later(KEPT_SECONDS, self._drop, turn_id)

    def _drop(self, turn_id: UUID) -> None:
        self._live.pop(turn_id, None)
        self._writer.forget(turn_id)


def _head(session: VisitorSession, request: TurnRequest) -> TurnHead:
    return TurnHead(request.turn_id, session.conversation_id, request.fingerprint)
