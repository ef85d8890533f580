"""A conversation sent by mail to whom its visitor names to an operator."""

from typing import Final
from uuid import UUID

from app.agents.records.agents import AgentRecords
from app.conversations.people.records.live_chats import LiveChatRecords
from app.conversations.people.transcript_text import MAX_TEXT_CHARS, transcript
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.mail.mail import Mail
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

_MOST_MESSAGES: Final = 1000
_NO_MAIL: Final = "No mail is sent: this installation has no mail server."


class Transcripts:
    """Operators alone send them: a form of the widget that mails what somebody typed to whoever they name would be a
    way to send anything to anybody."""

    def __init__(self, records: SystemOfRecord, mailer: Mailer) -> None:
        self._records = records
        self._mailer = mailer

    @property
    def can_send(self) -> bool:
        return self._mailer.is_on

    async def send(self, actor: Actor, conversation_id: UUID, email: str) -> None:
        """What was said until now, without notes and traces. The audit counts it, and does not name whom it went to.
        Raises InvalidInput, also where nothing was said yet or there is no mail server, and NotFound for a conversation
        that is absent or another workspace's."""

        def work(tx: Transaction) -> None:
            conversation = ConversationRecords(tx).get(actor.workspace_id, conversation_id)
            if not self.can_send:
                raise InvalidInput("email", _NO_MAIL)
            name = AgentRecords(tx).get(actor.workspace_id, conversation.agent_id).draft.name
            turns = StoredTurnRecords(tx).of_conversation(conversation_id)
            messages = LiveChatRecords(tx).messages(conversation_id, 0, _MOST_MESSAGES)
            # No word of ours, for it is read in any language: who asked is quoted, and who wrote by itself is marked.
            said = transcript(turns, messages, visitor="> ", agent=f"{name} (AI): ", max_chars=MAX_TEXT_CHARS)
            if not said:
                raise InvalidInput("email", "Nothing was said in this conversation yet.")
            subject = f"{name}: {conversation.first_question}" if conversation.first_question else name
            self._mailer.put(tx, actor.workspace_id, Mail(to=email, subject=subject, paragraphs=said))
            agent_id = str(conversation.agent_id)
            AuditRecords(tx).record(actor.workspace_id, actor.name, "conversation.send_transcript", agent_id, {})

        await self._records.of_workspace(actor.workspace_id).write(work)
