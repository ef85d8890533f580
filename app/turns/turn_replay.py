"""A turn's events from the system of record, which does not number them: fewer events, with the same content."""

from collections.abc import Iterator
from dataclasses import replace

from app.core.turn import Finish, StoredTurn, TurnState
from app.core.turn_events import INTERRUPTED, Citations, Confirm, Done, Start, Token, TurnEvent
from app.turns.live_turn import LiveTurn
from app.turns.remote.turn_log import TurnHead


def head_of(stored: StoredTurn) -> TurnHead:
    return TurnHead(stored.id, stored.conversation_id, stored.fingerprint)


def replayed(stored: StoredTurn) -> LiveTurn:
    """The whole of a turn that has ended."""
    return LiveTurn.finished(head_of(stored), rest_of(stored, []))


def rest_of(stored: StoredTurn, known: list[TurnEvent]) -> Iterator[TurnEvent]:
    """The events of an ended turn after the events `known`."""
    if not known:
        yield Start(stored.id, stored.conversation_id)
    said = "".join(event.token for event in known if isinstance(event, Token))
    if stored.answer.startswith(said) and stored.answer != said:
        yield Token(stored.answer[len(said) :])
    if stored.state is TurnState.DONE and stored.message_id and stored.answered_by:
        if stored.citations and not any(isinstance(event, Citations) for event in known):
            yield Citations(stored.citations)
        if stored.confirmation and not any(isinstance(event, Confirm) for event in known):
            yield Confirm(stored.confirmation)
        yield Done(
            turn_id=stored.id,
            message_id=stored.message_id,
            answered_by=stored.answered_by,
            low_confidence=stored.low_confidence,
            confidence=stored.confidence or 0.0,
            finish=stored.finish or Finish.COMPLETE,
            next_questions=stored.next_questions,
        )
    else:
        yield replace(INTERRUPTED, code=stored.error_code or INTERRUPTED.code)
