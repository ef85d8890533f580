"""The exchanges of a conversation so far: the agent's turns, and people's messages in between."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from heapq import merge
from operator import itemgetter
from typing import Final

from app.conversations.live_chat import MAX_TEXT_CHARS, Author, LiveMessage
from app.core.turn import Exchange

MESSAGES_PER_EXCHANGE: Final = 4  # people write in short lines


def past_exchanges(
    turns: Iterable[tuple[datetime, Exchange]], messages: Iterable[LiveMessage], limit: int
) -> list[Exchange]:
    """The latest exchanges, at most `limit`, oldest first. Turns and messages are merged by time. Messages without a
    turn in between become one exchange of what the visitor and then the person wrote, with at most the last
    MAX_TEXT_CHARS of each."""
    told = ((message.created_at, _of_message(message)) for message in messages)
    past: list[Exchange] = []
    for _, exchange in merge(turns, told, key=itemgetter(0)):
        if past and _goes_on(past[-1], exchange):
            exchange = _joined(past.pop(), exchange)
        past.append(exchange)
    return past[-limit:]


def _of_message(message: LiveMessage) -> Exchange:
    is_visitors = message.author is Author.VISITOR
    return Exchange(message.text if is_visitors else "", "" if is_visitors else message.text, is_with_person=True)


def _goes_on(before: Exchange, message: Exchange) -> bool:
    is_answered = bool(before.answer and message.question)
    return before.is_with_person and message.is_with_person and not is_answered


def _joined(before: Exchange, message: Exchange) -> Exchange:
    return Exchange(
        _lines([before.question, message.question]), _lines([before.answer, message.answer]), is_with_person=True
    )


def _lines(texts: Sequence[str]) -> str:
    return "\n".join(filter(None, texts))[-MAX_TEXT_CHARS:]
