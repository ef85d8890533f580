"""Discord: interactions, and the answer to one.
https://docs.discord.com/developers/interactions/receiving-and-responding"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final

from app.core.field_rules import MAX_QUESTION_CHARS
from app.core.text.untrusted_text import one_line
from app.core.turn import Channel
from app.kit.ed25519 import is_signed
from app.messengers.messenger import MessengerQuestion, MessengerRating
from app.messengers.service import AnswerCall, Reply, Service, cut_at_block, json_of, text_at
from app.providers.http_caller import HttpReply
from app.store.delivery_loop import Undelivered

_API: Final = "https://discord.com/api/v10/webhooks"
_MOST_CHARS: Final = 2000
_MOST_BELOW: Final = 1000  # characters of sources and contact, below the answer
_QUESTION_CHARS: Final = 150
_VALID_SECONDS: Final = 15 * 60
_PING, _COMMAND, _BUTTON = 1, 2, 3  # interaction types
_PONG, _MESSAGE, _DEFERRED = 1, 4, 5  # response types
_ONLY_FOR_THEM, _NO_PREVIEWS = 64, 4  # message flags
_ID: Final = re.compile(r"[0-9]{1,20}")
_TOKEN: Final = re.compile(r"[\w.-]{1,400}", re.ASCII)
_NOBODY: Final = {"parse": ()}
# https://docs.discord.com/developers/components/reference
_ROW, _BUTTON_COMPONENT, _GREY = 1, 2, 2
_THUMBS: Final = {"up": "👍", "down": "👎"}
_BUTTONS: Final = [
    {"type": _BUTTON_COMPONENT, "style": _GREY, "custom_id": rating, "emoji": {"name": thumb}}
    for rating, thumb in _THUMBS.items()
]


class Discord(Service):
    name = "Discord"
    about = "Ask with the command /ask."
    channel = Channel.DISCORD
    signing = ("Public Key", re.compile(r"[0-9a-fA-F]{64}"))
    token = ("", re.compile(""))
    taken: ClassVar = {"type": _DEFERRED}
    delay_seconds = 1

    def is_signed(self, signing: str, headers: Mapping[str, str], body: bytes, now: datetime) -> bool:
        """Accepts any timestamp: a replayed interaction is stored once, and cannot be answered after 15 minutes."""
        stamp = headers.get("x-signature-timestamp", "")
        return is_signed(signing, headers.get("x-signature-ed25519", ""), stamp.encode() + body)

    def parsed(self, payload: Mapping[str, Any]) -> MessengerQuestion | MessengerRating | Mapping[str, Any]:
        if payload.get("type") == _PING:
            return {"type": _PONG}
        member = payload.get("member", payload)  # in a direct message, there is only the user
        user, channel, event_id = text_at(member, "user", "id"), text_at(payload, "channel_id"), text_at(payload, "id")
        rating, message = text_at(payload, "data", "custom_id"), text_at(payload, "message", "id")
        if payload.get("type") == _BUTTON and rating in _THUMBS and message:
            return MessengerRating(f"discord:{user}", message, rating)
        reply_to = {name: text_at(payload, name) for name in ("application_id", "token")}
        question = _option(payload.get("data")).strip()[:MAX_QUESTION_CHARS]
        is_whole = _ID.fullmatch(reply_to["application_id"]) and _TOKEN.fullmatch(reply_to["token"])
        if payload.get("type") != _COMMAND or not (is_whole and all((user, channel, event_id, question))):
            return self.refused("Ask with /ask and a question.")
        return MessengerQuestion(event_id, f"discord:{user}", question, channel, reply_to)

    def message_id(self, reply_to: Mapping[str, Any], answered: HttpReply) -> str:
        return text_at(json_of(answered), "id")

    def refused(self, reason: str) -> Mapping[str, Any]:
        return {"type": _MESSAGE, "data": {"content": reason, "flags": _ONLY_FOR_THEM, "allowed_mentions": _NOBODY}}

    def answer_call(self, reply_to: Mapping[str, Any], reply: Reply, token: str) -> AnswerCall:
        """Replaces "... is thinking". Quotes the question above the answer, because Discord does not show it."""
        quoted = f"> {one_line(reply.question, _QUESTION_CHARS)}\n"
        contact = _contact(*reply.contact) if reply.contact else ""
        sources = ""
        for each in reply.sources:
            line = f"\n[{each.id}] {one_line(each.title)}: <{each.url}>"
            sources += line if len(contact + sources + line) < _MOST_BELOW else ""
        below = "".join(f"\n{part}" for part in (sources, contact) if part)
        content = quoted + cut_at_block(reply.text, _MOST_CHARS - len(quoted) - len(below)) + below
        url = f"{_API}/{reply_to['application_id']}/{reply_to['token']}/messages/@original"
        body = {"content": content, "allowed_mentions": _NOBODY, "flags": _NO_PREVIEWS}
        if reply.is_rated:
            body["components"] = [{"type": _ROW, "components": _BUTTONS}]
        return AnswerCall("PATCH", url, {}, body)

    def failure(self, answered: HttpReply, age_seconds: float) -> Undelivered | None:
        """Discord answers 404 both before it has processed our first response and after the interaction has expired."""
        if 200 <= answered.status < 300:
            return None
        is_over = age_seconds > _VALID_SECONDS or answered.status in (400, 401, 403)
        return self.undelivered(answered, text_at(json_of(answered), "message"), is_final=is_over)


def _contact(label: str, url: str) -> str:
    """A line with the address as text, because Discord links only to websites; "" for an address that is too long."""
    address = url.removeprefix("mailto:").removeprefix("tel:")
    line = f"\n{address}" if label == address else f"\n{label}: {address}"
    return line if len(line) < _MOST_BELOW else ""


def _option(data: Any) -> str:
    options = data.get("options") if isinstance(data, dict) else None
    named = [each for each in options or () if isinstance(each, dict) and each.get("name") == "question"]
    return text_at(named[0], "value") if named else ""
