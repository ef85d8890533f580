"""Handoff to people: a visitor asks for one, in any supported language, and while a person talks, or while it is
paused, the agent is silent."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

from app.agents.agent import AgentConfig, LiveAgent
from app.conversations.records.live_chats import LiveChatRecords
from app.core.confirmation import ProposedChange
from app.core.errors import AgentPaused, HandedToPerson
from app.core.text.canned_messages import canned_messages
from app.core.text.languages import LANGUAGES, language_table
from app.core.text.letter_forms import plain_words, without_marks
from app.core.turn import AnsweredBy, Channel, VisitorSession
from app.store.transaction import Transaction

_MAX_CHARS: Final = 500
_SENTENCES: Final = re.compile(r"[.!?;:\n\u037e\u061f\u3002\uff01\uff1f\u0964]+")


@dataclass(frozen=True, slots=True)
class ReadyAnswer:
    """An answer that needs neither search nor model. `language` (BCP 47 primary subtag) is set if it is not the turn's;
    `proposed` is the change that the visitor is asked to confirm below it."""

    text: str
    answered_by: AnsweredBy
    curated_id: UUID | None = None
    language: str | None = None
    proposed: ProposedChange | None = None


def handed_over(
    config: AgentConfig, message: str, language: str | None, now: datetime, channel: Channel = Channel.WIDGET
) -> ReadyAnswer | None:
    """The reply to a visitor who asks for a person, if the agent offers one; None for every other message. Outside of
    the opening hours the reply tells when somebody is there again, and nobody is called."""
    if not config.live_chat or channel is not Channel.WIDGET or not asks_for_person(message):
        return None
    if opens := config.people_come_at(now):
        notice = canned_messages(language).person_away
        return ReadyAnswer(notice.format(moment=f"{opens:%Y-%m-%d, %H:%M}", zone=config.time_zone), AnsweredBy.FALLBACK)
    return ReadyAnswer(canned_messages(language).person_asked, AnsweredBy.HANDOFF)


def refuse_while_silent(tx: Transaction, agent: LiveAgent, session: VisitorSession) -> None:
    """Operators may try a paused agent, also by `docent ask`. Raises HandedToPerson, AgentPaused."""
    if agent.config.live_chat and LiveChatRecords(tx).is_talking(session.conversation_id):
        raise HandedToPerson("A person is answering in this conversation. Write to them, or end the chat first.")
    if agent.is_paused and session.channel is not Channel.CLI:
        raise AgentPaused("This agent is paused for now. Ask again later, or use a way to people in its `fallback`.")


def asks_for_person(message: str) -> bool:
    """Whether the whole last sentence, apart from greetings and courtesy, is a wish to talk to a person. A question
    that merely mentions people ("What does the page on human resources say?") is for the agent. Wishes in all languages
    count, because one sentence is too short to detect its language."""
    if len(message) > _MAX_CHARS:
        return False
    sentences = [words for part in _SENTENCES.split(message) if (words := plain_words(part))]
    return bool(sentences) and any(
        pattern.fullmatch(sentences[-1].replace(" ", "") if is_joined else sentences[-1])
        for is_joined, pattern in _patterns()
    )


@cache
def _patterns() -> tuple[tuple[bool, re.Pattern[str]], ...]:
    """For each language: whether it has no spaces between words, and the wishes listed for it."""
    wishes = [language_table(language)["handoff"] for language in sorted(LANGUAGES)]
    return tuple((each.get("is_joined", False), _pattern(each)) for each in wishes)


def _pattern(phrases: Mapping[str, Any]) -> re.Pattern[str]:
    blank = "" if phrases.get("is_joined") else " "
    wishes = "|".join(phrases["wishes"]).replace("{person}", phrases["person"])
    # Bounded, because some of these overlap: their combinations must stay few.
    return re.compile(
        without_marks(f"(?:(?:{phrases['before']}){blank}){{0,5}}(?:{wishes})(?:{blank}(?:{phrases['after']})){{0,3}}")
    )
