"""Schedules over the API."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.sources import kinds
from app.sources.source import SourceConfig, SourceKind
from app.sources.sources import Sources
from tests.web.house import House, Json, open_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as built:
        yield built


async def a_source(house: House, kind: SourceKind = kinds.SITE) -> str:
    config = SourceConfig(kind, "Docs", *(("", "Hello.") if kind is kinds.TEXT else ("https://www.example.com/",)))
    return f"/v1/sources/{(await house.parts.get(Sources).create(house.actor, house.agent.id, config)).id}/schedule"


async def test_a_schedule_is_set_shown_changed_and_cleared(house: House) -> None:
    path = await a_source(house)
    assert (await house.api("GET", path)).json() == {"cron": "", "every_hours": 0, "next_at": None}

    shown = (await house.api("PUT", path, {"every_hours": 24})).json()
    assert shown["every_hours"] == 24
    assert shown["next_at"].startswith("2026-01-02T12:")
    assert (await house.api("GET", path)).json() == shown

    changed = (await house.api("PUT", path, {"cron": "0 3 * * *"})).json()
    assert (changed["cron"], changed["every_hours"]) == ("0 3 * * *", 0)
    assert changed["next_at"].startswith("2026-01-02T03:0")

    assert (await house.api("DELETE", path)).status_code == 204
    assert (await house.api("GET", path)).json()["next_at"] is None


async def test_a_source_may_be_made_with_its_schedule_and_shows_it(house: House) -> None:
    body = {"kind": "site", "name": "Docs", "url": "https://www.example.com/docs", "schedule": {"every_hours": 24}}
    path = f"/v1/agents/{house.agent.id}/sources"

    made = (await house.api("POST", path, body)).json()

    assert made["schedule"]["next_at"].startswith("2026-01-02T12:")
    assert (await house.api("GET", f"/v1/sources/{made['id']}")).json()["schedule"] == made["schedule"]
    assert [one["schedule"] for one in (await house.api("GET", path)).json()["items"]] == [made["schedule"]]


@pytest.mark.parametrize("schedule", [{"cron": "never"}, {}, {"every_hours": 3, "cron": "0 3 * * *"}])
async def test_no_source_is_made_with_a_wrong_schedule(house: House, schedule: Json) -> None:
    body = {"kind": "site", "name": "Docs", "url": "https://www.example.com/docs", "schedule": schedule}
    path = f"/v1/agents/{house.agent.id}/sources"
    assert (await house.api("POST", path, body)).status_code == 422
    assert (await house.api("GET", path)).json()["items"] == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "Set either cron or every_hours"),
        ({"cron": "0 3 * * *", "every_hours": 3}, "not both"),
        ({"cron": "*/5 * * * *"}, "more often than once an hour"),
        ({"cron": "0,30 3 * * *"}, "more often than once an hour"),
        ({"cron": "often"}, "five fields"),
        ({"every_hours": 2161}, "every_hours"),
    ],
    ids=["neither", "both", "every five minutes", "twice in one hour", "no expression", "too rare"],
)
async def test_what_is_no_schedule_is_refused_with_the_fix(house: House, body: Json, words: str) -> None:
    answer = await house.api("PUT", await a_source(house), body)
    assert answer.status_code == 422
    assert words in answer.json()["error"]["message"]


async def test_a_text_is_not_read_on_a_schedule(house: House) -> None:
    answer = await house.api("PUT", await a_source(house, kinds.TEXT), {"every_hours": 3})
    assert answer.status_code == 422
    assert "has nothing to fetch" in answer.json()["error"]["message"]
