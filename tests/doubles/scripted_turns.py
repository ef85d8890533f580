"""Turns that follow a script instead of answering."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from app.core.errors import DocentError, NotFound, TurnConflict
from app.core.turn import AnsweredBy, Citation, Finish, TurnRequest, VisitorSession
from app.core.turn_events import Citations, Done, Start, Status, Token, TurnEvent
from app.turns.live_turn import LiveTurn
from app.turns.remote.turn_log import TurnHead

MESSAGE_ID = UUID("00000000-0000-4000-8000-00000000d0e5")


class ScriptedTurns:
    """Each question gets `script` after its `start`, at once; with `is_held`, the test publishes on `live[turn_id]`
    itself. `refusal` is raised instead, where it is set."""

    def __init__(self, script: Sequence[TurnEvent] | None = None) -> None:
        self.script = script
        self.is_held = False
        self.refusal: DocentError | None = None
        self.asked: list[tuple[VisitorSession, TurnRequest]] = []
        self.stopped: list[UUID] = []
        self.ratings: list[tuple[UUID, str, str]] = []
        self.live: dict[UUID, LiveTurn] = {}

    async def ask(self, session: VisitorSession, request: TurnRequest) -> LiveTurn:
        if self.refusal is not None:
            raise self.refusal
        known = self.live.get(request.turn_id)
        if known is not None:
            if known.head.fingerprint != request.fingerprint or known.conversation_id != session.conversation_id:
                raise TurnConflict("This turn_id belongs to another question. Send a new one.")
            return known
        self.asked.append((session, request))
        turn = LiveTurn(TurnHead(request.turn_id, session.conversation_id, request.fingerprint))
        self.live[request.turn_id] = turn
        if not self.is_held:
            turn.publish(Start(request.turn_id, session.conversation_id))
            for event in self.script if self.script is not None else an_answer(request.turn_id):
                turn.publish(event)
        return turn

    async def rejoin(self, session: VisitorSession, turn_id: UUID, after: int = 0) -> LiveTurn:
        turn = self.live.get(turn_id)
        if turn is None or turn.conversation_id != session.conversation_id:
            raise NotFound("turn")
        return turn

    async def stop(self, session: VisitorSession, turn_id: UUID) -> None:
        await self.rejoin(session, turn_id)
        self.stopped.append(turn_id)

    async def feedback(
        self, session: VisitorSession, turn_id: UUID, rating: Literal["up", "down"], comment: str
    ) -> None:
        await self.rejoin(session, turn_id)
        self.ratings.append((turn_id, rating, comment))


def an_answer(turn_id: UUID, *words: str) -> list[TurnEvent]:
    """What follows `start` in a turn that ends well."""
    return [
        Status("searching"),
        *(Token(word) for word in words or ("The team plan ", "costs 12 euros [1].")),
        Citations((Citation(1, "https://www.example.com/pricing", "Pricing", None, "c1", "Plus costs €3.90."),)),
        the_receipt(turn_id),
    ]


def the_receipt(turn_id: UUID) -> Done:
    return Done(turn_id, MESSAGE_ID, AnsweredBy.EXTRACTIVE, False, 0.9, Finish.COMPLETE, ("Pay by invoice",))
