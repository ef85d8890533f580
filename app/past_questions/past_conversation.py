"""A conversation that was led elsewhere: the first question of its visitor, and how the team replied."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.answers.handoff import asks_for_person
from app.answers.small_talk import small_talk
from app.core.personal_data import masked
from app.core.text.sentences import asks, sentences
from app.core.text.untrusted_text import without_controls
from app.core.turn import question_key

_MOST_CHARS: Final = 300  # of a question: what visitors type into a chat; mails are longer
_MOST_REPLY_CHARS: Final = 4000
_QUOTED_LINE: Final = re.compile(r"^[ \t]*(?:>.*|[_-]{5,}[ \t]*)$")
_SIGNATURE: Final = re.compile(r"^-- ?$", re.MULTILINE)  # https://www.rfc-editor.org/rfc/rfc3676#section-4.3


@dataclass(frozen=True, slots=True)
class PastMessage:
    """`text` is plain text or Markdown, as it was written."""

    is_visitors: bool
    text: str


@dataclass(frozen=True, slots=True)
class PastConversation:
    """`key` is unique in its export; messages are oldest first."""

    key: str
    messages: tuple[PastMessage, ...]


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """Personal data is masked. `reply` is the team's, "" if there was none."""

    key: str
    text: str
    reply: str = ""


def first_question(conversation: PastConversation) -> PastQuestion | None:
    """The visitor's first message with a question that is for the website, and the team's messages up to the
    visitor's next one. None for a conversation of greetings, or of wishes for a person, alone."""
    messages = conversation.messages
    for place, message in enumerate(messages):
        if message.is_visitors and (text := _question_in(message.text)):
            return PastQuestion(conversation.key, text, "\n\n".join(_replies(messages[place + 1 :])))
    return None


def _question_in(message: str) -> str:
    """A message without small talk; of a long one, the sentences that ask, or its beginning. "" if nothing is left."""
    parts = [each for each in sentences(_own_words(message)) if small_talk(each) is None and not asks_for_person(each)]
    text = " ".join(parts)
    if len(text) > _MOST_CHARS:
        text = " ".join(each for each in parts if asks(each)) or text
    text = text[:_MOST_CHARS].strip()
    return text if question_key(text) else ""


def _replies(messages: Sequence[PastMessage]) -> Iterator[str]:
    has_begun = False
    for message in messages:
        if message.is_visitors and has_begun:
            return
        text = "" if message.is_visitors else _own_words(message.text)
        if text and small_talk(text) is None and len(text) <= _MOST_REPLY_CHARS:
            has_begun = True
            yield text


def _own_words(message: str) -> str:
    """The message without its signature and the mail that it quotes, with personal data masked."""
    lines = [line for line in without_controls(message).splitlines() if not _QUOTED_LINE.match(line)]
    return masked(_SIGNATURE.split("\n".join(lines), maxsplit=1)[0].strip())
