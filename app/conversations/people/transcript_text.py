"""What was said in a conversation, as plain text: by the visitor, the agent and operators."""

from collections.abc import Sequence
from datetime import datetime
from heapq import merge
from operator import itemgetter
from typing import Final

from app.conversations.people.live_chat import Author, LiveMessage
from app.core.turn import StoredTurn
from app.mail.mail import one_line

MAX_TEXT_CHARS: Final = 20_000
_CUT: Final = "[Earlier messages are left out.]"
_PICTURE: Final = "[Picture]"


def transcript(
    turns: Sequence[StoredTurn], messages: Sequence[LiveMessage], *, visitor: str, agent: str, max_chars: int
) -> list[str]:
    """In chronological order, each with its sources. `visitor` and `agent` begin what they said; an operator's name
    begins theirs. What comes first is left out, and said to be, where all of it has more than `max_chars`."""
    told_turns = ((turn.created_at, _turn(turn, visitor, agent)) for turn in turns)
    told_messages: list[tuple[datetime, str]] = [(each.created_at, _message(each, visitor)) for each in messages]
    said = [text for _, text in merge(told_turns, told_messages, key=itemgetter(0))]
    while len(said) > 1 and sum(map(len, said)) > max_chars:
        del said[: 2 if said[0] == _CUT else 1]
        said.insert(0, _CUT)
    return said


def _turn(turn: StoredTurn, visitor: str, agent: str) -> str:
    lines = [f"{visitor}{turn.question}"]
    if turn.answer:
        lines.append(f"{agent}{turn.answer}")
    lines += [f"[{each.id}] {one_line(each.title)} {each.url}" for each in turn.citations]
    return "\n".join(lines)


def _message(message: LiveMessage, visitor: str) -> str:
    said = message.text or (_PICTURE if message.picture else "")
    who = visitor if message.author is Author.VISITOR else f"{message.name or 'Operator'}: "
    return f"{who}{said}"
