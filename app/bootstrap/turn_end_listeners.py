"""The consequences of a turn's end in the core, in the transaction that stores it."""

from typing import Final

from app.answers.curated.records import CuratedAnswerRecords
from app.conversations.records.gap_counting import GapCounting
from app.core.turn import Finish, TurnEnd, TurnState
from app.feature import Features
from app.gaps.records.stopped_turns import StoppedTurnRecords
from app.store.outbox import Outbox
from app.store.transaction import Transaction, TurnEndListener, TurnIds


def announce_end(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Enqueue the turn's events for webhooks."""
    Outbox(tx).announce(turn, f"turn.{end.state.value}")


def count_curated_hit(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    if end.curated_answer_id is not None:
        CuratedAnswerRecords(tx).count_hit(turn.agent_id, end.curated_answer_id)


def remember_stop(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Remember a stopped answer, for a worker to compare with the visitor's next question."""
    if end.finish is Finish.STOPPED and end.state is TurnState.DONE:
        StoppedTurnRecords(tx).remember(turn.id)


def see_gap(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    if end.gap is not None:
        GapCounting(tx).see(turn, end.gap)


_OF_CORE: Final[tuple[TurnEndListener, ...]] = (
    announce_end,
    count_curated_hit,
    remember_stop,
    see_gap,
)


def turn_end_listeners(features: Features) -> list[TurnEndListener]:
    return [*_OF_CORE, *features.on_turn_end]
