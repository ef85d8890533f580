"""The latest reading of a source: stopped, continued, watched."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_control import RunWatch
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import RunState
from app.web.limits_policy import StreamPolicy
from tests.web.house import SITE, House, Json, open_house


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path, streams=StreamPolicy(look_seconds=0.01)) as house:
        yield house


async def a_source(house: House, is_synced: bool = True) -> tuple[str, Json]:
    body = {"kind": "site", "url": f"{SITE}/docs"}
    created = (await house.api("POST", f"/v1/agents/{house.agent.id}/sources", body)).json()
    url = f"/v1/sources/{created['id']}"
    return url, (await house.api("POST", f"{url}/sync")).json() if is_synced else {}


async def test_a_paused_run_goes_on_in_its_next_leg(house: House) -> None:
    url, run = await a_source(house)
    paused = (await house.api("POST", f"{url}/pause")).json()
    assert (paused["id"], paused["state"]) == (run["id"], "paused")
    assert (await house.api("POST", f"{url}/pause")).json()["state"] == "paused"
    resumed = (await house.api("POST", f"{url}/resume")).json()
    assert (resumed["id"], resumed["state"]) == (run["id"], "queued")
    assert house.jobs.legs == [1, 2]


async def test_syncing_a_paused_source_resumes_it(house: House) -> None:
    url, run = await a_source(house)
    await house.api("POST", f"{url}/pause")
    synced = (await house.api("POST", f"{url}/sync")).json()
    assert (synced["id"], synced["state"]) == (run["id"], "queued")


async def test_a_cancelled_run_has_ended_and_says_so(house: House) -> None:
    url, run = await a_source(house)
    cancelled = (await house.api("POST", f"{url}/cancel")).json()
    assert (cancelled["id"], cancelled["state"], cancelled["stop_reason"]) == (
        run["id"], "cancelled", "An operator cancelled the reading."
    )  # fmt: skip
    assert (await house.api("POST", f"{url}/cancel")).json() == cancelled
    for order in ("pause", "resume"):
        refused = await house.api("POST", f"{url}/{order}")
        assert refused.status_code == 422
        assert "Sync the source" in refused.json()["error"]["message"]
    assert (await house.api("POST", f"{url}/sync")).json()["id"] != run["id"]


@pytest.mark.parametrize("order", ["cancel", "pause", "resume"])
async def test_a_source_that_was_never_read_has_no_run(house: House, order: str) -> None:
    url, _ = await a_source(house, is_synced=False)
    assert (await house.api("POST", f"{url}/{order}")).status_code == 404
    assert (await house.api("GET", f"{url}/progress")).status_code == 404


async def test_progress_is_told_until_the_run_has_ended(watched: House) -> None:
    house = watched
    url, run = await a_source(house)
    run_id = UUID(run["id"])
    sources = [f"{SITE}/docs/{number}" for number in range(3)]
    with house.record.writing() as tx:
        CrawlRunRecords(tx).set_run_state(run_id, RunState.RUNNING, leg=1)
        CrawlPageRecords(tx).add_pages(run_id, [QueuedPage(page, 0) for page in sources])
    told: list[Json] = []
    headers = {"Authorization": f"Bearer {house.read}"}

    async def one_more() -> None:
        done = len(told) - 1
        house.clock.advance(2)
        with house.record.writing() as tx:
            if done < len(sources):
                page = ReadPage(sources[done], 0, "fetched", read_at=house.clock.now())
                CrawlPageRecords(tx).settle_page(run_id, page, "indexed", None, 1)
            else:
                CrawlRunRecords(tx).set_run_state(run_id, RunState.FINISHED, "Every page was read.", leg=1)

    watch = house.parts.get(RunWatch)

    async def pause() -> bool:
        await one_more()
        return True

    async for look in watch.progress(house.actor, run_id, pause):
        told.append({"queued": look.queued, "left": look.seconds_left, "state": look.state.value})
    assert [(look["queued"], look["left"]) for look in told] == [(3, None), (2, 4), (1, 2), (0, 0), (0, None)]
    assert told[-1]["state"] == "finished"

    response = await house.http.get(f"{url}/progress", headers=headers)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-store, no-transform"
    name, data = response.text.strip().splitlines()
    assert name == "event: done"
    end = json.loads(data.removeprefix("data: "))
    assert (end["event"], end["run_id"], end["state"]) == ("done", str(run_id), "finished")
    assert (end["fetched"], end["indexed"], end["failed"]) == (3, 3, 0)
    assert end["stop_reason"] == "Every page was read."


async def test_a_run_that_is_deleted_ends_its_watch(house: House) -> None:
    url, run = await a_source(house)

    async def pause() -> bool:
        assert (await house.api("DELETE", url)).status_code == 200
        return True

    looks = [look async for look in house.parts.get(RunWatch).progress(house.actor, UUID(run["id"]), pause)]
    assert [look.state for look in looks] == [RunState.QUEUED]
