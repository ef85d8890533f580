"""The text of a ticket: the visitor, the transcript, and the citations."""

from collections.abc import Sequence
from datetime import datetime
from heapq import merge
from operator import itemgetter
from typing import Final

from app.conversations.people.lead import Lead
from app.conversations.people.live_chat import Author, LiveMessage
from app.core.turn import StoredTurn
from app.mail.mail import one_line

MAX_TEXT_CHARS: Final = 20_000
_CUT: Final = "[Earlier messages are left out.]"


def ticket_subject(agent: str, turns: Sequence[StoredTurn], lead: Lead | None) -> str:
    asked = lead.message if lead else turns[-1].question if turns else "a visitor asks for a person"
    return one_line(f"{agent}: {asked}")


def ticket_text(
    agent: str, turns: Sequence[StoredTurn], messages: Sequence[LiveMessage], lead: Lead | None, console_url: str
) -> str:
    """Plain text in chronological order; the beginning is cut when it exceeds MAX_TEXT_CHARS."""
    head = []
    if lead:
        who = f"{lead.name} <{lead.email}>" if lead.name else lead.email
        head.append(f"From: {who}\n\n{lead.message}")
    if turns:
        head.append(f"Asked on {turns[-1].page_url}")
    if console_url:
        head.append(f"In Docent: {console_url}")
    said = _said(agent, turns, messages)
    left = MAX_TEXT_CHARS - sum(map(len, head))
    while len(said) > 1 and sum(map(len, said)) > left:
        del said[: 2 if said[0] == _CUT else 1]
        said.insert(0, _CUT)
    return "\n\n".join([*head, *said])[:MAX_TEXT_CHARS]


def _said(agent: str, turns: Sequence[StoredTurn], messages: Sequence[LiveMessage]) -> list[str]:
    told_turns = ((turn.created_at, _turn(agent, turn)) for turn in turns)
    told_messages: list[tuple[datetime, str]] = [(each.created_at, _message(each)) for each in messages]
    return [text for _, text in merge(told_turns, told_messages, key=itemgetter(0))]


def _turn(agent: str, turn: StoredTurn) -> str:
    lines = [f"Visitor: {turn.question}"]
    if turn.answer:
        lines.append(f"{agent} (automatic): {turn.answer}")
    lines += [f"[{each.id}] {one_line(each.title)} {each.url}" for each in turn.citations]
    return "\n".join(lines)


def _message(message: LiveMessage) -> str:
    return f"{'Visitor' if message.author is Author.VISITOR else message.name or 'Operator'}: {message.text}"
