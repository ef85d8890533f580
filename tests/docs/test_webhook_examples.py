"""What the guide to webhooks shows is what is posted, and its check of a signature takes it."""

import json
import re
import time
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from app.domain.source_hook import hook_signature
from app.domain.webhook import Delivery, Webhook, WebhookEvent
from tests.docs.fenced_blocks import ROOT

GUIDE = (ROOT / "docs" / "how-to" / "webhooks.md").read_text("utf-8")
ANY = UUID(int=1)
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def posted() -> bytes:
    webhook = Webhook(ANY, ANY, "https://hooks.example.com", (WebhookEvent.TURN_FINISHED,), "1", b"salt", NOW)
    return Delivery(ANY, webhook, "turn.done", {"turn_id": str(ANY), "conversation_id": str(ANY)}, NOW, 1).body


def test_the_event_that_is_shown_has_the_fields_of_one_that_is_posted() -> None:
    [shown] = re.findall(r"^```json\n(\{.*turn\.finished.*)\n```", GUIDE, re.MULTILINE)
    shape = {name: type(value) for name, value in json.loads(shown).items()}
    assert shape == {name: type(value) for name, value in json.loads(posted()).items()}
    assert json.loads(shown)["event"] == json.loads(posted())["event"]


@pytest.mark.parametrize(
    ("secret", "age_seconds", "is_taken"),
    [("right", 0, True), ("right", 301, False), ("wrong", 0, False)],
    ids=["a delivery", "an old one", "another's signature"],
)
def test_its_check_takes_what_was_signed_lately(secret: str, age_seconds: int, is_taken: bool) -> None:
    [example] = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    made: dict[str, Any] = {}
    exec(example, made)  # ours, from the repository
    timestamp = str(int(time.time()) - age_seconds)
    headers = {
        "Docent-Timestamp": timestamp,
        "Docent-Signature": hook_signature(secret, timestamp, posted()),
    }
    assert made["is_from_docent"]("right", headers, posted()) is is_taken
