"""Slack: the Events API, and chat.postMessage. https://docs.slack.dev/apis/events-api,
https://docs.slack.dev/authentication/verifying-requests-from-slack"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime
from html import escape, unescape
from typing import Any, Final

from app.core.field_rules import MAX_QUESTION_CHARS
from app.core.turn import Channel
from app.messengers.messenger import MessengerQuestion, MessengerRating
from app.messengers.service import AnswerCall, Reply, Service, cut_at_block, json_of, text_at
from app.providers.http_caller import HttpReply
from app.store.delivery_loop import Undelivered

_OLDEST_SECONDS: Final = 300
_STAMP: Final = re.compile(r"[0-9]{1,12}")
_POST: Final = "https://slack.com/api/chat.postMessage"
_MOST_CHARS: Final = 3500  # Slack recommends 4,000 at most
_WAITING: Final = frozenset(
    ("ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout")
)
# A message with a file, and an answer in a thread that is also sent to the channel:
# https://docs.slack.dev/reference/events/message
_OF_PEOPLE: Final = (None, "file_share", "thread_broadcast")
_RATINGS: Final = {"+1": "up", "thumbsup": "up", "-1": "down", "thumbsdown": "down"}
# "<@U1>", "<#C1|general>", "<!here>", "<https://a.example|label>":
# https://docs.slack.dev/messaging/formatting-message-text
_ENTITY: Final = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_BLANKS: Final = re.compile(r"[^\S\n]+")
_CODE: Final = r"(?P<code>```[\s\S]*?(?:```|\Z)|`[^`\n]+`)"
_LINK: Final = r"\[(?P<label>[^\[\]\n]+)\]\((?P<url>https?://[^\s()<>|]+)\)"
_BOLD: Final = r"\*\*(?P<bold>[^*\n]+)\*\*"
_HEADING: Final = r"^#{1,6}[ \t]+(?P<heading>[^\n]+)$"
_ITEM: Final = r"^(?P<indent>[ \t]*)[-*+][ \t]+"
_MARKS: Final = re.compile("|".join((_CODE, _LINK, _BOLD, _HEADING, _ITEM)), re.MULTILINE)


def mrkdwn(markdown: str) -> str:
    """Convert Markdown to Slack's markup. Slack's own sequences in the text, such as `<!channel>`, are escaped."""
    written, end = [], 0
    for mark in _MARKS.finditer(markdown):
        written += [_escaped(markdown[end : mark.start()]), _written(mark)]
        end = mark.end()
    return "".join([*written, _escaped(markdown[end:])])


def _written(mark: re.Match[str]) -> str:
    if mark["code"]:
        return _escaped(mark["code"])
    if mark["url"]:
        return _link(mark["url"], mark["label"])
    strong = mark["bold"] or mark["heading"]
    if not strong:
        return f"{mark['indent']}• "
    words = strong.replace("**", "").strip().lstrip("# \t")  # Slack's bold text cannot contain bold text
    return f"*{mrkdwn(words)}*" if words else ""


def _escaped(text: str) -> str:
    return escape(text, quote=False)


def _link(url: str, label: str) -> str:
    return f"<{_escaped(url).replace('|', '%7C')}|{_escaped(' '.join(label.split())).replace('|', '¦')}>"


def plain(text: str) -> str:
    """The text of a Slack message without mentions; links and channels become their labels."""

    def named(entity: re.Match[str]) -> str:
        mark, target, label = entity.groups()
        return "" if mark in ("@", "!") else f"{mark}{label or target}"

    return unescape(_BLANKS.sub(" ", _ENTITY.sub(named, text))).strip()


class Slack(Service):
    name = "Slack"
    about = "Mention the app in a channel, or write to it."
    channel = Channel.SLACK
    signing = ("Signing Secret", re.compile(r"[0-9a-f]{32}"))
    token = ("Bot User OAuth Token", re.compile(r"xoxb-[\w-]{10,150}", re.ASCII))

    def is_signed(self, signing: str, headers: Mapping[str, str], body: bytes, now: datetime) -> bool:
        stamp = headers.get("x-slack-request-timestamp", "")
        if not _STAMP.fullmatch(stamp) or abs(now.timestamp() - int(stamp)) > _OLDEST_SECONDS:
            return False
        right = "v0=" + hmac.digest(signing.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hex()
        return hmac.compare_digest(right.encode(), headers.get("x-slack-signature", "").encode())

    def parsed(self, payload: Mapping[str, Any]) -> MessengerQuestion | MessengerRating | Mapping[str, Any]:
        """Ignores messages with a `bot_id`, `edited` or other `subtype` than people's: those of programs, edits, and
        notices of joining."""
        if payload.get("type") == "url_verification":
            return {"challenge": text_at(payload, "challenge")}
        event = payload.get("event")
        if payload.get("type") != "event_callback" or not isinstance(event, dict):
            return {}
        if event.get("type") == "reaction_added":
            rating = _RATINGS.get(text_at(event, "reaction").partition("::")[0])  # "+1::skin-tone-2"
            message = f"{text_at(event, 'item', 'channel')} {text_at(event, 'item', 'ts')}"
            user_id = f"slack:{text_at(payload, 'team_id')}.{text_at(event, 'user')}"
            return MessengerRating(user_id, message, rating) if rating else {}
        is_direct = event.get("type") == "message" and event.get("channel_type") == "im"
        if not (is_direct or event.get("type") == "app_mention") or {"bot_id", "edited"} & event.keys():
            return {}
        if event.get("subtype") not in _OF_PEOPLE:
            return {}
        event_id, team, user = text_at(payload, "event_id"), text_at(payload, "team_id"), text_at(event, "user")
        channel, sent_at = text_at(event, "channel"), text_at(event, "ts")
        question = plain(text_at(event, "text"))[:MAX_QUESTION_CHARS]
        if not all((event_id, user, channel, sent_at, question)):
            return {}
        thread = text_at(event, "thread_ts") or ("" if is_direct else sent_at)
        reply_to = {"channel": channel} | ({"thread_ts": thread} if thread else {})
        place = f"{channel} {thread}".strip()
        return MessengerQuestion(event_id, f"slack:{team}.{user}", question, place, reply_to, is_thread=bool(thread))

    def message_id(self, reply_to: Mapping[str, Any], answered: HttpReply) -> str:
        return f"{reply_to['channel']} {text_at(json_of(answered), 'ts')}"

    def refused(self, reason: str) -> Mapping[str, Any]:
        return {}

    def answer_call(self, reply_to: Mapping[str, Any], reply: Reply, token: str) -> AnswerCall:
        parts = [mrkdwn(cut_at_block(reply.text, _MOST_CHARS))]
        if reply.sources:
            parts.append("\n".join(f"[{each.id}] {_link(each.link, each.title or each.url)}" for each in reply.sources))
        if reply.contact:
            label, url = reply.contact
            parts.append(_link(url, label))
        body = {**reply_to, "text": "\n\n".join(parts), "unfurl_links": False, "unfurl_media": False}
        return AnswerCall("POST", _POST, {"Authorization": f"Bearer {token}"}, body)

    def failure(self, answered: HttpReply, age_seconds: float) -> Undelivered | None:
        """Slack also responds 200 to rejected calls, with `ok` false and an `error`."""
        response = json_of(answered)
        if isinstance(response, dict) and response.get("ok") is True:
            return None
        reason = text_at(response, "error")
        return self.undelivered(answered, reason, is_final=bool(reason) and reason not in _WAITING)
