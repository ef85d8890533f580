"""What the guide to webhooks shows is what is posted, and its check of a signature takes it."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from app.core.webhook_event import WebhookEvent
from app.webhooks.webhook import Delivery, Webhook, signed_headers, webhook_secret
from tests.docs.fenced_blocks import ROOT

GUIDE = (ROOT / "docs" / "how-to" / "webhooks.md").read_text("utf-8")
ANY = UUID(int=1)
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


KEY = b"signing key"
WEBHOOK = Webhook(ANY, ANY, "https://hooks.example.com", (WebhookEvent.TURN_FINISHED,), "1", b"salt", NOW)
DELIVERY = Delivery(ANY, ANY, 1, WEBHOOK, KEY, "turn.done", {"turn_id": str(ANY), "conversation_id": str(ANY)}, NOW)
SECRET = webhook_secret(KEY, WEBHOOK)
SECRET_BEFORE = "dwh_" + SECRET.removeprefix("whsec_").translate(str.maketrans("+/", "-_", "="))


def examples() -> dict[str, Any]:
    """What the guide's receivers define, by name."""
    made: dict[str, Any] = {}
    for example in re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL):
        exec(example, made)  # ours, from the repository
    return made


def test_the_event_that_is_shown_has_the_fields_of_one_that_is_posted() -> None:
    [shown] = re.findall(r"^```json\n(\{.*turn\.finished.*)\n```", GUIDE, re.MULTILINE)
    shape = {name: type(value) for name, value in json.loads(shown).items()}
    assert shape == {name: type(value) for name, value in json.loads(DELIVERY.body).items()}
    assert json.loads(shown)["event"] == json.loads(DELIVERY.body)["event"]


RECEIVED = pytest.mark.parametrize(
    ("key", "age_seconds", "is_taken"),
    [(KEY, 0, True), (KEY, 301, False), (b"another key", 0, False)],
    ids=["a delivery", "an old one", "another's signature"],
)


@RECEIVED
def test_its_receiver_takes_what_was_signed_lately(key: bytes, age_seconds: int, is_taken: bool) -> None:
    headers = signed_headers(DELIVERY, key, datetime.now(UTC) - timedelta(seconds=age_seconds))
    event = examples()["event_from_docent"](SECRET, headers, DELIVERY.body)
    assert event == (json.loads(DELIVERY.body) if is_taken else None)


@RECEIVED
def test_a_receiver_of_before_takes_what_was_signed_lately(key: bytes, age_seconds: int, is_taken: bool) -> None:
    headers = signed_headers(DELIVERY, key, datetime.now(UTC) - timedelta(seconds=age_seconds))
    assert examples()["is_from_docent"](SECRET_BEFORE, headers, DELIVERY.body) is is_taken


def test_a_changed_body_is_not_taken() -> None:
    headers = signed_headers(DELIVERY, KEY, datetime.now(UTC))
    assert examples()["event_from_docent"](SECRET, headers, DELIVERY.body + b" ") is None
