"""What follows from a turn's end, in the transaction that stores it."""

from contextlib import suppress
from typing import Final

from app.domain.errors import NotFound
from app.domain.turn import AnsweredBy, Finish, TurnEnd, TurnState
from app.store.curated_answers import CuratedAnswerRecords
from app.store.gap_counting import GapCounting
from app.store.live_chats import LiveChatRecords
from app.store.outbox import Outbox
from app.store.stopped_turns import StoppedTurnRecords
from app.store.transaction import Transaction, TurnEndListener, TurnIds


async def announce_end(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Webhooks hear of it."""
    await Outbox(tx).announce(turn, f"turn.{end.state.value}")


async def count_curated_hit(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    if end.curated_answer_id is not None:
        await CuratedAnswerRecords(tx).count_hit(turn.agent_id, end.curated_answer_id)


async def remember_stop(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Somebody will look what the visitor asks next."""
    if end.finish is Finish.STOPPED and end.state is TurnState.DONE:
        await StoppedTurnRecords(tx).remember(turn.id)


async def see_gap(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    if end.gap is not None:
        await GapCounting(tx).see(turn, end.gap)


async def ask_for_person(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """A visitor who was handed over waits for a person, unless they have cleared the conversation meanwhile."""
    if end.answered_by is AnsweredBy.HANDOFF and end.state is TurnState.DONE:
        with suppress(NotFound):
            await LiveChatRecords(tx).ask(turn)


TURN_END_LISTENERS: Final[tuple[TurnEndListener, ...]] = (
    announce_end,
    count_curated_hit,
    remember_stop,
    see_gap,
    ask_for_person,
)
