"""A record that was restored without its indexes: visitors are asked to come back until a worker has filled them."""

import shutil
from pathlib import Path
from uuid import uuid4

from app.main import open_app, open_worker
from app.settings import read_settings
from tests.system.conftest import SITE, Running, learnt_agent
from tests.web.live_server import serving

QUESTION = "How many days do I have to return a lamp?"


async def test_nothing_is_answered_and_no_gap_counted_until_a_worker_has_filled_them(tmp_path: Path) -> None:
    settings = read_settings(data=tmp_path, shutdown_seconds=1)
    agent_id = await learnt_agent(settings)
    for index in ("vectors", "keywords"):
        shutil.rmtree(tmp_path / index)
    async with open_app(settings) as web, serving(web.app) as (_, http):
        ready = await http.get("/readyz")
        assert (ready.status_code, ready.json()["parts"]) == (503, {"record": True, "indexes": False, "turns": True})
        running = Running(http, agent_id, tmp_path)
        visitor = await running.visitor()
        headers = {"Authorization": f"Bearer {visitor.token}", "Origin": SITE}
        for way in ("/v1/widget/messages", "/v1/widget/messages/stream"):
            body = {"turn_id": str(uuid4()), "message": QUESTION, "page_url": f"{SITE}/"}
            refused = await http.post(way, json=body, headers=headers)
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "unavailable"), way
            assert int(refused.headers["retry-after"]) > 0
        assert running.rows("select id from turns") == running.rows("select id from gaps") == []

        async with open_worker(settings):
            assert (await http.get("/readyz")).status_code == 200
            events = await visitor.ask(QUESTION)
            assert "30 days" in "".join(event.get("token", "") for event in events)
