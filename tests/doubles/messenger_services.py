"""The APIs of Slack and Discord as their public references have them: what they take, refuse and answer; and how they
sign what they send.

Nothing here was compared with the services themselves. https://docs.slack.dev/reference/methods/chat.postMessage,
https://docs.discord.com/developers/resources/webhook#edit-webhook-message
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.providers.http_caller import CallFailed, HttpReply

_ORIGINAL = re.compile(r"https://discord\.com/api/v10/webhooks/775799577604522054/([^/]+)/messages/@original")
Json = dict[str, Any]
SLACK_SIGNING = "8f742231b10e8888abcd99baac85a5e0"
SLACK_TOKEN = "xoxb-1-2-abcdefghij"


@dataclass
class MessengerServices:
    """An HttpCaller. `messages` are those that were posted, in order. `errors` are what Slack answers before, with
    status 200. `thinking` are the tokens of interactions at Discord that wait for an answer."""

    messages: list[Json] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    thinking: set[str] = field(default_factory=set)
    is_away: bool = False

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        if self.is_away:
            raise CallFailed("nobody answers")
        said = json.loads(body or b"{}")
        if (method, url) == ("POST", "https://slack.com/api/chat.postMessage"):
            return HttpReply(200, json.dumps(self._posted(headers, said)).encode())
        found = _ORIGINAL.fullmatch(url)
        if method != "PATCH" or found is None or found[1] not in self.thinking:
            return HttpReply(404, b'{"message": "Unknown Webhook", "code": 10015}')
        if not 0 < len(said["content"]) <= 2000 or "Authorization" in headers:
            return HttpReply(400, b'{"message": "Invalid Form Body", "code": 50035}')
        self.messages.append(said)
        return HttpReply(200, json.dumps({"id": f"9{len(self.messages)}"}).encode())

    def _posted(self, headers: Mapping[str, str], said: Json) -> Json:
        if headers.get("Authorization") != f"Bearer {SLACK_TOKEN}":
            return {"ok": False, "error": "invalid_auth"}
        if self.errors:
            return {"ok": False, "error": self.errors.pop(0)}
        if not headers["Content-Type"].startswith("application/json") or "channel" not in said:
            return {"ok": False, "error": "invalid_arguments"}
        if not said.get("text") or len(said["text"]) > 40_000:
            return {"ok": False, "error": "no_text"}
        self.messages.append(said)
        return {"ok": True, "ts": f"1700000001.{len(self.messages):06}"}


def signed_as_slack(body: bytes, now: datetime, secret: str = SLACK_SIGNING) -> dict[str, str]:
    """https://docs.slack.dev/authentication/verifying-requests-from-slack"""
    stamp = str(int(now.timestamp()))
    signature = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return {"x-slack-request-timestamp": stamp, "x-slack-signature": f"v0={signature}"}


def slack_event(text: str, *, event_id: str = "Ev1", **event: Any) -> Json:
    """A mention in a channel; `event` has what is other, a key with None what is not there."""
    said = {
        "type": "app_mention",
        "user": "U061F7AUR",
        "text": text,
        "ts": "1515449522.000016",
        "channel": "C123ABC456",
        "event_ts": "1515449522000016",
    }
    return {
        "token": "ZZZZZZWSxiZZZ2yIvs3peJ",
        "team_id": "T123ABC456",
        "api_app_id": "A123ABC456",
        "event": {name: value for name, value in {**said, **event}.items() if value is not None},
        "type": "event_callback",
        "event_id": event_id,
        "event_time": 1515449522,
        "authorizations": [{"team_id": "T123ABC456", "user_id": "U0LAN0Z89", "is_bot": True}],
    }


def slack_reaction(reaction: str, ts: str, *, user: str = "U061F7AUR", channel: str = "C123ABC456") -> Json:
    """https://docs.slack.dev/reference/events/reaction_added"""
    item = {"type": "message", "channel": channel, "ts": ts}
    event = {
        "type": "reaction_added",
        "user": user,
        "reaction": reaction,
        "item": item,
        "event_ts": "1700000002.000001",
    }
    return {**slack_event(""), "event": event}


_DISCORD_APP = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
DISCORD_KEY = _DISCORD_APP.public_key().public_bytes_raw().hex()


def signed_as_discord(body: bytes, now: datetime) -> dict[str, str]:
    """https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers"""
    stamp = str(int(now.timestamp()))
    signature = _DISCORD_APP.sign(stamp.encode() + body).hex()
    return {"x-signature-timestamp": stamp, "x-signature-ed25519": signature}


def discord_click(custom_id: str, message_id: str, user: str = "53908232506183680") -> Json:
    """A click on a button below a message: https://docs.discord.com/developers/interactions/receiving-and-responding"""
    return {
        **discord_question(""),
        "type": 3,
        "member": {"user": {"id": user, "username": "Mason"}, "roles": []},
        "data": {"component_type": 2, "custom_id": custom_id},
        "message": {"id": message_id, "content": "", "type": 0},
    }


def discord_question(text: str, *, interaction_id: str = "786008729715212338", is_direct: bool = False) -> Json:
    """The command /ask in a server, or in a direct message."""
    user = {"id": "53908232506183680", "username": "Mason", "discriminator": "0"}
    return {
        "type": 2,
        "token": "A_UNIQUE_TOKEN",
        **({"user": user} if is_direct else {"member": {"user": user, "roles": [], "nick": None}}),
        "id": interaction_id,
        "guild_id": "290926798626357999",
        "application_id": "775799577604522054",
        "data": {
            "options": [{"type": 3, "name": "question", "value": text}],
            "type": 1,
            "name": "ask",
            "id": "771825006014889984",
        },
        "channel_id": "645027906669510667",
        "version": 1,
    }
