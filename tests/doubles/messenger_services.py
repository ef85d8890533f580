"""Slack's API as its public reference has it: what it takes, refuses and answers; and how it signs what it sends.

Nothing here was compared with the service itself. https://docs.slack.dev/reference/methods/chat.postMessage
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.providers.http_caller import CallFailed, HttpReply

Json = dict[str, Any]
SLACK_SIGNING = "8f742231b10e8888abcd99baac85a5e0"
SLACK_TOKEN = "xoxb-1-2-abcdefghij"


@dataclass
class MessengerServices:
    """An HttpCaller. `messages` are those that were posted, in order. `errors` are answered before, with status 200."""

    messages: list[Json] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    is_away: bool = False

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        if self.is_away:
            raise CallFailed("nobody answers")
        said = json.loads(body or b"{}")
        if (method, url) == ("POST", "https://slack.com/api/chat.postMessage"):
            return HttpReply(200, json.dumps(self._posted(headers, said)).encode())
        return HttpReply(404, b"{}")

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
