"""The ticket APIs of four help desks, as their descriptions have them: what they ask for, refuse and answer.

They were written from the vendors' public references, which each class of `app/providers/help_desk.py` names, and take
only what these have. They are no more than that: nothing here was compared with the services themselves.
"""

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from app.providers.http_caller import CallFailed, HttpReply

Json = dict[str, Any]
_FRESHDESK_TAKES = {
    *("name", "requester_id", "email", "phone", "unique_external_id", "subject", "type", "status", "priority"),
    *("description", "responder_id", "custom_fields", "group_id", "source", "tags"),
}


@dataclass
class HelpDeskServices:
    """An HttpCaller behind which all four stand. `tickets` are those that were opened, by host; `statuses` are answered
    in order before anything is done; `is_away` answers nothing."""

    secret: str = "right"
    is_away: bool = False
    statuses: list[int] = field(default_factory=list)
    tickets: dict[str, list[Json]] = field(default_factory=dict)
    contacts: list[Json] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    _by_key: dict[str, Json] = field(default_factory=dict)

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        parts = urlsplit(url)
        self.calls.append((method, parts.path))
        if self.is_away:
            raise CallFailed("nobody answers")
        if self.statuses and (status := self.statuses.pop(0)) != 200:
            return HttpReply(status, b'{"error": "as it was told to"}')
        host = parts.hostname or ""
        sent = json.loads(body) if body else {}
        vendor = {"zendesk.com": self._zendesk, "freshdesk.com": self._freshdesk, "intercom.io": self._intercom}
        answering = vendor.get(".".join(host.split(".")[-2:]), self._chatwoot)
        status, answer = answering(method, parts.path, parse_qs(parts.query), headers, sent, host)
        return HttpReply(status, json.dumps(answer).encode())

    def _opened(self, host: str, ticket: Json) -> int:
        self.tickets.setdefault(host, []).append(ticket)
        return 100 + len(self.tickets[host])

    def _zendesk(
        self, method: str, path: str, query: Any, headers: Mapping[str, str], sent: Json, host: str
    ) -> tuple[int, Json]:
        if _user(headers) != ("agent@example.com/token", self.secret):
            return 401, {"error": "Couldn't authenticate you"}
        if (method, path) != ("POST", "/api/v2/tickets.json"):
            return 404, {"error": "InvalidEndpoint"}
        asked = sent["ticket"]
        if not asked["comment"]["body"]:
            return 422, {"error": "RecordInvalid"}
        if "requester" in asked and "@" not in asked["requester"]["email"]:
            return 422, {"error": "RecordInvalid"}
        key = headers["Idempotency-Key"]
        if key not in self._by_key:
            self._by_key[key] = {"ticket": {**asked, "id": self._opened(host, asked)}}
        return 201, self._by_key[key]

    def _freshdesk(
        self, method: str, path: str, query: Any, headers: Mapping[str, str], sent: Json, host: str
    ) -> tuple[int, Json]:
        if _user(headers)[0] != self.secret:
            return 401, {"code": "invalid_credentials", "message": "You have to be logged in to perform this action."}
        if (method, path) != ("POST", "/api/v2/tickets"):
            return 404, {}
        unknown = set(sent) - _FRESHDESK_TAKES
        without = {"subject", "description", "status", "priority"} - set(sent)
        if unknown or without or not {"email", "requester_id", "unique_external_id"} & set(sent):
            return 400, {"description": "Validation failed", "errors": sorted(unknown | without)}
        return 201, {**sent, "id": self._opened(host, sent)}

    def _intercom(
        self, method: str, path: str, query: Any, headers: Mapping[str, str], sent: Json, host: str
    ) -> tuple[int, Json]:
        if headers["Authorization"] != f"Bearer {self.secret}":
            return 401, {"type": "error.list", "errors": [{"code": "unauthorized"}]}
        assert headers["Intercom-Version"]
        if (method, path) == ("POST", "/contacts"):
            if sent["role"] not in ("user", "lead"):
                return 400, {"type": "error.list"}
            self.contacts.append(sent)
            return 200, {"type": "contact", "id": f"contact-{len(self.contacts)}", **sent}
        if (method, path) != ("POST", "/tickets"):
            return 404, {"type": "error.list"}
        [contact] = sent["contacts"]
        known = {f"contact-{number + 1}" for number in range(len(self.contacts))}
        if sent["ticket_type_id"] != "77" or not ("email" in contact or contact.get("id") in known):
            return 400, {"type": "error.list", "errors": [{"code": "parameter_invalid"}]}
        return 200, {"type": "ticket", "id": "9", "ticket_id": str(self._opened(host, sent))}

    def _chatwoot(
        self, method: str, path: str, query: Any, headers: Mapping[str, str], sent: Json, host: str
    ) -> tuple[int, Json]:
        if headers["api_access_token"] != self.secret:
            return 401, {"error": "Invalid Access Token"}
        account = "/api/v1/accounts/3"
        if (method, path) == ("GET", f"{account}/contacts/search"):
            [sought] = query["q"]
            return 200, {"payload": [each for each in self.contacts if sought in str(each)]}
        if (method, path) == ("POST", f"{account}/contacts"):
            for field_name in ("email", "identifier"):
                if any(each.get(field_name) == sent.get(field_name, "-") for each in self.contacts):
                    return 422, {"message": f"{field_name} has already been taken"}
            self.contacts.append({**sent, "id": len(self.contacts) + 1})
            return 200, {"payload": {"contact": self.contacts[-1], "contact_inbox": {"source_id": "s"}}}
        if (method, path) == ("POST", f"{account}/conversations"):
            if sent["inbox_id"] != 5 or sent["contact_id"] not in [each["id"] for each in self.contacts]:
                return 404, {"error": "Resource could not be found"}
            return 200, {"id": self._opened(host, {**sent, "messages": []})}
        number = int(path.split("/")[-2]) - 101
        self.tickets[host][number]["messages"].append(sent)
        return 200, {"id": 1}


def _user(headers: Mapping[str, str]) -> tuple[str, str]:
    user, _, password = b64decode(headers["Authorization"].removeprefix("Basic ")).decode().partition(":")
    return user, password
