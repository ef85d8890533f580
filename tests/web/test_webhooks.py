"""Operators say where an agent's events are posted to, over the admin API."""

from base64 import b64decode
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.core.webhook_event import declared_events
from tests.web.house import House, open_house

RECEIVER = "https://hooks.example.com/docent"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as house:
        yield house


def path(house: House) -> str:
    return f"/v1/agents/{house.agent.id}/webhooks"


def stored_bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.glob("docent.sqlite*"))


async def test_the_secret_is_shown_once_and_not_stored(house: House, tmp_path: Path) -> None:
    made = (await house.api("POST", path(house), {"url": RECEIVER})).json()
    assert made["secret"].startswith("whsec_")
    assert made["events"] == [event.name for event in declared_events()]
    [listed] = (await house.api("GET", path(house))).json()["items"]
    assert listed == {key: value for key, value in made.items() if key != "secret"}
    stored = stored_bytes(tmp_path)
    assert RECEIVER.encode() in stored
    drawn = made["secret"].removeprefix("whsec_")
    for kept in (drawn.encode(), b64decode(drawn), b64decode(drawn).hex().encode()):
        assert kept not in stored


@pytest.mark.parametrize("url", ["http://hooks.example.com/", "https://10.0.0.1/", "https://localhost/", "no address"])
async def test_an_address_that_may_not_be_posted_to_is_refused(house: House, url: str) -> None:
    answer = await house.api("POST", path(house), {"url": url})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "url")


async def test_every_event_can_be_named(house: House) -> None:
    events = [event.name for event in declared_events()]
    answer = await house.api("POST", path(house), {"url": RECEIVER, "events": events})
    assert (answer.status_code, answer.json()["events"]) == (201, events)


@pytest.mark.parametrize("events", [[], ["turn.exploded"]])
async def test_an_event_that_there_is_not_is_refused(house: House, events: list[str]) -> None:
    answer = await house.api("POST", path(house), {"url": RECEIVER, "events": events})
    assert answer.status_code == 422
    assert answer.json()["error"]["field"].startswith("events")


async def test_an_agent_has_ten_webhooks_at_most(house: House) -> None:
    for _ in range(10):
        assert (await house.api("POST", path(house), {"url": RECEIVER})).status_code == 201
    assert (await house.api("POST", path(house), {"url": RECEIVER})).status_code == 422


async def test_a_deleted_webhook_is_gone(house: House) -> None:
    made = (await house.api("POST", path(house), {"url": RECEIVER})).json()
    assert (await house.api("DELETE", f"{path(house)}/{made['id']}")).status_code == 204
    assert (await house.api("GET", path(house))).json() == {"items": []}
    assert (await house.api("DELETE", f"{path(house)}/{made['id']}")).status_code == 404
