"""The interface to Slack and Discord: verify their calls, parse their questions, and show answers there."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from app.agents.widget_settings import Fallback
from app.answers.handoff import asks_for_person
from app.core.errors import InvalidInput
from app.core.setting import check_limits
from app.core.setting_values import is_http
from app.core.text.canned_messages import canned_messages
from app.core.text.markdown.blocks import blocks
from app.core.turn import AnsweredBy, Channel, Citation, StoredTurn, TurnState
from app.messengers.messenger import MessengerKeys, MessengerQuestion, MessengerRating
from app.providers.http_caller import HttpReply
from app.store.delivery_loop import Undelivered

_SCHEME: Final = re.compile(r"^(?:mailto|tel):")


@dataclass(frozen=True, slots=True)
class Reply:
    """`text` is Markdown. `contact` is the label and URL of a way to reach people, None for a confident answer.
    `is_rated`: the visitor may rate it."""

    question: str
    text: str
    sources: Sequence[Citation] = ()
    contact: tuple[str, str] | None = None
    is_rated: bool = False


def reply_of(question: str, turn: StoredTurn | None, fallback: Fallback, language: str | None) -> Reply:
    """The answer of `turn` as the widget shows it; if `turn` is None or failed, a message that there is no answer
    now. For somebody who asks for a person, the contact alone, unless a curated answer says more."""
    url = fallback.url
    contact = (fallback.label or _SCHEME.sub("", url), url) if url else None
    if turn is None or turn.state is not TurnState.DONE:
        written = f"{turn.answer}\n\n" if turn and turn.answer else ""
        words = canned_messages(turn.language if turn else language).cannot_search
        return Reply(question, written + words, contact=contact)
    if contact and turn.answered_by is not AnsweredBy.CURATED and asks_for_person(question):
        return Reply(question, "", contact=contact)
    choices = turn.next_questions if turn.answered_by is AnsweredBy.CLARIFICATION else ()
    text = "\n".join([turn.answer, *(f"- {each}" for each in choices)])
    is_unsure = turn.low_confidence or turn.answered_by is AnsweredBy.FALLBACK
    sources = [each for each in turn.citations if is_http(each.url)]
    return Reply(question, text, sources, contact if is_unsure else None, is_rated=True)


def cut_at_block(markdown: str, most: int) -> str:
    """The first blocks of the text, at most `most` characters in all; "…" replaces the rest. A first block that is too
    long is cut between two words."""
    if len(markdown) <= most:
        return markdown
    kept = ""
    for block in blocks(markdown):
        longer = f"{kept}\n\n{block.text}" if kept else block.text
        if len(longer) > most - 3:
            break
        kept = longer
    return f"{kept}\n\n…" if kept else f"{markdown[: most - 2].rsplit(None, 1)[0]} …"


def text_at(payload: Any, *names: str) -> str:
    """The string at these nested keys; "" if there is none."""
    for name in names:
        payload = payload.get(name) if isinstance(payload, dict) else None
    return payload if isinstance(payload, str) else ""


def json_of(reply: HttpReply) -> Any:
    """The JSON of a reply's body; None if the body is not JSON."""
    try:
        return json.loads(reply.body)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class AnswerCall:
    """The API request that posts an answer."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class Service(ABC):
    """`signing` and `token` are (label, pattern) of the two keys; the label is "" if the service has no such key.
    `taken` is the JSON response to an accepted question. The answer is sent `delay_seconds` later at the earliest."""

    name: ClassVar[str]
    about: ClassVar[str]
    channel: ClassVar[Channel]
    signing: ClassVar[tuple[str, re.Pattern[str]]]
    token: ClassVar[tuple[str, re.Pattern[str]]]
    taken: ClassVar[Mapping[str, Any]] = {}
    delay_seconds: ClassVar[int] = 0

    def check(self, keys: MessengerKeys) -> None:
        """Raises InvalidInput for a key that is missing, malformed or not used by this service."""
        check_limits("", keys)
        for field, text, (label, written) in (
            ("signing", keys.signing, self.signing),
            ("token", keys.token, self.token),
        ):
            if not written.fullmatch(text):
                wanted = (
                    f"Enter the {label} as {self.name} shows it." if label else "Leave this blank for this service."
                )
                raise InvalidInput(field, wanted)

    @abstractmethod
    def is_signed(self, signing: str, headers: Mapping[str, str], body: bytes, now: datetime) -> bool: ...

    @abstractmethod
    def parsed(self, payload: Mapping[str, Any]) -> MessengerQuestion | MessengerRating | Mapping[str, Any]:
        """The question or rating in the payload, or the JSON response to a payload without one."""
        ...

    @abstractmethod
    def message_id(self, reply_to: Mapping[str, Any], answered: HttpReply) -> str:
        """What ratings name the posted answer by."""
        ...

    @abstractmethod
    def refused(self, reason: str) -> Mapping[str, Any]:
        """The JSON response to a question that is rejected for this reason."""
        ...

    @abstractmethod
    def answer_call(self, reply_to: Mapping[str, Any], reply: Reply, token: str) -> AnswerCall: ...

    def undelivered(self, answered: HttpReply, reason: str, *, is_final: bool) -> Undelivered:
        """A failure that names the response's status and, unless it is empty, the service's `reason`."""
        shown = f": {reason[:100]}" if reason else ""
        return Undelivered(f"{self.name} answered {answered.status}{shown}", is_final=is_final)

    @abstractmethod
    def failure(self, answered: HttpReply, age_seconds: float) -> Undelivered | None:
        """Why the response to `answer_call` is a failure, None for success. `age_seconds` counts from the question."""
        ...
