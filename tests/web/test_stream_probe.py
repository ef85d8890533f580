"""The stream of known pace: numbered, spaced, unbuffered, and not for free."""

import json
from itertools import pairwise
from pathlib import Path

from app.web.health import PROBE_EVENTS, PROBE_PATH, PROBE_PAUSE_SECONDS
from app.web.limits_policy import LimitsPolicy
from tests.web.house import House, open_house


async def test_ticks_are_numbered_and_spaced_and_done_ends_them(still_house: House) -> None:
    response = await still_house.http.get(PROBE_PATH)
    assert response.headers["x-accel-buffering"] == "no"
    assert response.headers["cache-control"] == "no-store, no-transform"
    frames = [dict(line.split(": ", 1) for line in frame.split("\n")) for frame in response.text.split("\n\n")[:-1]]
    assert [int(frame["id"]) for frame in frames] == list(range(1, PROBE_EVENTS + 2))
    assert [frame["event"] for frame in frames] == ["tick"] * PROBE_EVENTS + ["done"]
    sent_ms = [json.loads(frame["data"])["sent_ms"] for frame in frames]
    # Rounding and the clock's steps may take a millisecond.
    assert min(later - sooner for sooner, later in pairwise(sent_ms)) >= PROBE_PAUSE_SECONDS * 1000 - 1


async def test_an_address_that_asks_too_often_is_refused(tmp_path: Path) -> None:
    async with open_house(tmp_path, limits=LimitsPolicy(probes_per_address=1)) as house:
        assert (await house.http.get(PROBE_PATH)).status_code == 200
        refused = await house.http.get(PROBE_PATH)
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "rate_limited")
