"""A conversation as text, mailed by an operator to any address, or by the visitor to their own."""

from collections.abc import Sequence
from datetime import datetime
from heapq import merge
from operator import itemgetter
from typing import Final
from uuid import UUID

from app.agents.records import AgentRecords
from app.conversations.conversation import Conversation
from app.conversations.live_chat import Author, LiveMessage
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.text.untrusted_text import one_line
from app.core.turn import StoredTurn, VisitorSession
from app.kit.markdown_text import markdown_text
from app.kit.wiring import Wired
from app.mail.mail import Mail, checked_mail_address
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.records.audit import AuditRecords

_MOST_MESSAGES: Final = 1000
EMAIL_ATTRIBUTE: Final = "email"
_NO_MAIL: Final = "No mail was sent: this installation has no mail server."
_NO_ADDRESS: Final = "No mail was sent: the visitor has no signed address, or there is no mail server."
MAX_TEXT_CHARS: Final = 20_000
_CUT: Final = "[Earlier messages are left out.]"


class Transcripts(Wired):
    """Only operators can enter an address: with a form in the widget, anyone could mail any text to anybody. Visitors'
    transcripts go to the address that their website has signed."""

    _records: SystemOfRecord
    _mailer: Mailer

    @property
    def can_send(self) -> bool:
        return self._mailer.is_on

    @writes
    def send(self, tx: Transaction, actor: Actor, conversation_id: UUID, email: str) -> None:
        """Send the conversation so far, without notes and traces. The audit counts it without the recipient. Raises
        InvalidInput, also for an empty conversation or without a mail server, and NotFound for a conversation that does
        not exist or belongs to another workspace."""
        conversation = ConversationRecords(tx).conversation(actor.workspace_id, conversation_id)
        if not self.can_send:
            raise InvalidInput("email", _NO_MAIL)
        name = AgentRecords(tx).agent(actor.workspace_id, conversation.agent_id).draft.name
        self._put(tx, actor.workspace_id, conversation, name, email)
        AuditRecords(tx).acted(actor, "conversation.send_transcript", conversation.agent_id)

    @reads
    def own(self, tx: Transaction, session: VisitorSession) -> tuple[str, str | None]:
        """The text of the visitor's conversation, and the address that it can be sent to: None if their website has
        signed none, or there is no mail server. Raises NotFound for a conversation that is gone."""
        ConversationRecords(tx).own(session.visitor_id, session.conversation_id)
        lines = _lines(tx, session.conversation_id, AgentRecords(tx).live(session.agent_id).config.name)
        return "\n\n".join(lines), self._address(tx, session)

    @reads
    def own_address(self, tx: Transaction, session: VisitorSession) -> str | None:
        """The address that `send_own` would use, without reading the conversation. Raises like `own`."""
        ConversationRecords(tx).own(session.visitor_id, session.conversation_id)
        return self._address(tx, session)

    @writes
    def send_own(self, tx: Transaction, session: VisitorSession) -> None:
        """Only to the signed address. Raises InvalidInput if there is none, and like `own`."""
        conversation = ConversationRecords(tx).own(session.visitor_id, session.conversation_id)
        email = self._address(tx, session)
        if email is None:
            raise InvalidInput("email", _NO_ADDRESS)
        name = AgentRecords(tx).live(session.agent_id).config.name
        self._put(tx, session.workspace_id, conversation, name, email)

    def _address(self, tx: Transaction, session: VisitorSession) -> str | None:
        signed = ConversationRecords(tx).signed_facts(session.visitor_id).get(EMAIL_ATTRIBUTE)
        if signed is None or not self.can_send:
            return None
        try:
            return checked_mail_address("email", signed)
        except InvalidInput:
            return None

    def _put(self, tx: Transaction, workspace_id: UUID, conversation: Conversation, name: str, email: str) -> None:
        lines = _lines(tx, conversation.id, name)
        if not lines:
            raise InvalidInput("email", "This conversation has no messages yet.")
        subject = f"{name}: {conversation.first_question}" if conversation.first_question else name
        self._mailer.put(tx, workspace_id, Mail(to=email, subject=subject, paragraphs=lines), conversation.id)


def _lines(tx: Transaction, conversation_id: UUID, name: str) -> list[str]:
    turns = StoredTurnRecords(tx).of_conversation(conversation_id)
    messages = LiveChatRecords(tx).messages(conversation_id, 0, _MOST_MESSAGES)
    # No fixed words, because the reader's language is unknown: questions are quoted, other authors are named.
    return transcript(turns, messages, visitor="> ", agent=f"{name} (AI): ", max_chars=MAX_TEXT_CHARS)


def transcript(
    turns: Sequence[StoredTurn], messages: Sequence[LiveMessage], *, visitor: str, agent: str, max_chars: int
) -> list[str]:
    """One plain text per turn and message, in chronological order. `visitor` and `agent` are the prefixes of their
    texts; an operator's name is that of theirs. Beyond `max_chars` in all, the oldest are replaced by a note."""
    dated_turns = ((turn.created_at, _turn(turn, visitor, agent)) for turn in turns)
    dated_messages: list[tuple[datetime, str]] = [(each.created_at, _message(each, visitor)) for each in messages]
    lines = [text for _, text in merge(dated_turns, dated_messages, key=itemgetter(0))]
    while len(lines) > 1 and sum(map(len, lines)) > max_chars:
        del lines[: 2 if lines[0] == _CUT else 1]
        lines.insert(0, _CUT)
    return lines


def _turn(turn: StoredTurn, visitor: str, agent: str) -> str:
    lines = [f"{visitor}{turn.question}"]
    if turn.answer:
        lines.append(f"{agent}{markdown_text(turn.answer)}")
    lines += [f"[{each.id}] {one_line(each.title)} {each.url}" for each in turn.citations]
    return "\n".join(lines)


def _message(message: LiveMessage, visitor: str) -> str:
    who = visitor if message.author is Author.VISITOR else f"{message.name or 'Operator'}: "
    return f"{who}{message.text}"
