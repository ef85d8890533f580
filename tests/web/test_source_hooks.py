"""A website says, signed, which of its pages have changed."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import httpx2
import pytest

from app.sources import kinds
from app.sources.source import SourceConfig, hook_signature
from app.sources.sources import Sources
from tests.web.house import UNKNOWN, House, open_house

PAGES = {"urls": ["https://www.example.com/docs/a"]}


@dataclass
class Website:
    """It has the secret of its source's hook."""

    house: House
    source: str
    secret: str

    async def call(
        self,
        body: object = None,
        *,
        seconds: int = 0,
        secret: str | None = None,
        source: str | None = None,
        sent: bytes | None = None,
    ) -> httpx2.Response:
        """`seconds` puts its clock wrong; `sent` is what arrives in place of what it signed."""
        raw = b"" if body is None else json.dumps(body).encode()
        timestamp = str(int(self.house.clock.now().timestamp()) + seconds)
        headers = {
            "Docent-Timestamp": timestamp,
            "Docent-Signature": hook_signature(secret or self.secret, timestamp, raw),
            "Content-Type": "application/json",
        }
        path = f"/v1/hooks/sources/{source or self.source}"
        return await self.house.http.post(path, content=raw if sent is None else sent, headers=headers)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Website]:
    async with open_house(tmp_path) as house:
        config = SourceConfig(kinds.SITE, "Docs", url="https://www.example.com/docs")
        source = str((await house.parts.get(Sources).create(house.actor, house.agent.id, config)).id)
        made = (await house.api("POST", f"/v1/sources/{source}/hook")).json()
        assert made["path"] == f"/v1/hooks/sources/{source}"
        yield Website(house, source, made["secret"])


async def test_a_signed_call_has_the_named_pages_read(site: Website) -> None:
    answer = await site.call(PAGES)
    assert answer.status_code == 202
    run = answer.json()
    assert (run["only_asked"], run["counts"]) == (True, {"queued": 1})
    assert [str(run_id) for _, run_id in site.house.jobs.crawls] == [run["id"]]


async def test_a_signed_call_without_a_body_has_the_whole_source_read(site: Website) -> None:
    assert not (await site.call()).json()["only_asked"]


async def test_the_same_call_is_taken_once(site: Website) -> None:
    assert (await site.call(PAGES)).status_code == 202
    again = await site.call(PAGES)
    assert again.status_code == 401
    assert "already received" in again.json()["error"]["message"]
    assert (await site.call(PAGES, seconds=1)).status_code == 202


@pytest.mark.parametrize("seconds", [-300, 300])
async def test_a_clock_may_be_five_minutes_wrong(site: Website, seconds: int) -> None:
    assert (await site.call(PAGES, seconds=seconds)).status_code == 202


@pytest.mark.parametrize("seconds", [-301, 301])
async def test_a_call_of_another_time_is_refused(site: Website, seconds: int) -> None:
    answer = await site.call(PAGES, seconds=seconds)
    assert answer.status_code == 401
    assert "at most 5 minutes" in answer.json()["error"]["message"]


async def test_a_replay_is_refused_for_as_long_as_its_timestamp_is_good(site: Website) -> None:
    assert (await site.call(PAGES, seconds=300)).status_code == 202
    for moved in (299, 301):
        site.house.clock.advance(moved)
        assert (await site.call(PAGES, seconds=300 - moved if moved == 299 else -300)).status_code == 401


async def test_what_was_not_signed_so_is_refused(site: Website) -> None:
    other = json.dumps({"urls": ["https://www.example.com/docs/other"]}).encode()
    assert (await site.call(PAGES, sent=other)).status_code == 401
    assert (await site.call(PAGES, secret="dhk_guess")).status_code == 401
    unsigned = await site.house.http.post(f"/v1/hooks/sources/{site.source}", json=PAGES)
    assert unsigned.status_code == 401
    assert site.house.jobs.crawls == []


async def test_a_source_without_a_hook_is_refused_as_a_wrong_signature_is(site: Website) -> None:
    wrong = await site.call(PAGES, secret="dhk_guess")
    assert (await site.call(PAGES, source=str(UNKNOWN))).content == wrong.content
    assert (await site.house.api("DELETE", f"/v1/sources/{site.source}/hook")).status_code == 204
    assert (await site.call(PAGES)).content == wrong.content


async def test_a_new_secret_ends_the_old_one(site: Website) -> None:
    new = (await site.house.api("POST", f"/v1/sources/{site.source}/hook")).json()["secret"]
    assert new != site.secret
    assert (await site.call(PAGES)).status_code == 401
    assert (await site.call(PAGES, secret=new)).status_code == 202


async def test_a_signed_call_is_still_checked(site: Website) -> None:
    outside = await site.call({"urls": ["https://www.example.com/shop"]})
    assert (outside.status_code, outside.json()["error"]["field"]) == (422, "urls.0")
    assert (await site.call({"all": True})).status_code == 422
    assert (await site.call([1, 2], seconds=1)).status_code in (400, 422)


def stored_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("docent.sqlite*"))


async def test_the_database_does_not_hold_the_secret(site: Website, tmp_path: Path) -> None:
    stored = stored_bytes(tmp_path)
    assert UUID(site.source).bytes in stored
    assert site.secret.encode() not in stored
    assert site.secret.removeprefix("dhk_").encode() not in stored
