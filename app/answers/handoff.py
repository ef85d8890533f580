"""Where people come in: a visitor asks for one, and while one talks the agent is silent."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.agents.agent import AgentConfig
from app.answers.curated.curated_answer import CuratedAnswer
from app.answers.handoff_intent import asks_for_person
from app.conversations.people.records.live_chats import LiveChatRecords
from app.core.confirmation import ProposedChange
from app.core.errors import HandedToPerson
from app.core.text.canned_messages import canned_messages
from app.core.turn import AnsweredBy, Channel, VisitorSession
from app.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ReadyAnswer:
    """What is said as it stands: nothing is searched, and no model is asked. `language` (BCP 47 primary subtag)
    where it is not the turn's; `proposed` is what the visitor is asked to confirm below it."""

    text: str
    answered_by: AnsweredBy
    curated_id: UUID | None = None
    language: str | None = None
    proposed: ProposedChange | None = None


def of_curated(answer: CuratedAnswer) -> ReadyAnswer:
    return ReadyAnswer(answer.answer, AnsweredBy.CURATED, answer.id)


def handed_over(
    config: AgentConfig, message: str, language: str | None, now: datetime, channel: Channel = Channel.WIDGET
) -> ReadyAnswer | None:
    """Our own words to a visitor who asks for a person, where the agent offers one; None for every other message.
    Outside of the opening hours it says when somebody is there again, and nobody is called."""
    if not config.live_chat or channel is not Channel.WIDGET or not asks_for_person(message):
        return None
    if opens := config.people_come_at(now):
        said = canned_messages(language).person_away
        return ReadyAnswer(said.format(moment=f"{opens:%Y-%m-%d, %H:%M}", zone=config.time_zone), AnsweredBy.FALLBACK)
    return ReadyAnswer(canned_messages(language).person_asked, AnsweredBy.HANDOFF)


def refuse_while_a_person_talks(tx: Transaction, config: AgentConfig, session: VisitorSession) -> None:
    """Raises HandedToPerson."""
    if config.live_chat and LiveChatRecords(tx).is_talking(session.conversation_id):
        raise HandedToPerson(
            "A person answers in this conversation now. Write to them, or end the chat with them first."
        )
