"""The core alone: it learns, answers, stores and forgets, in a web process and a worker without a single feature."""

from pathlib import Path

from app.bootstrap.infrastructure import Doubles
from app.feature import Features
from app.main import open_app, open_worker
from app.settings import read_settings
from tests.system.conftest import Running, learnt_agent
from tests.web.live_server import serving

ALONE = Doubles({Features: Features()})


async def test_a_question_is_answered_and_stored_by_the_core_alone(tmp_path: Path) -> None:
    settings = read_settings(data=tmp_path, shutdown_seconds=1)
    agent_id = await learnt_agent(settings)
    async with open_app(settings, ALONE) as web, open_worker(settings, ALONE), serving(web.app) as (_, http):
        running = Running(http, agent_id, tmp_path)
        events = await (await running.visitor()).ask("How many days do I have to return a lamp?")
        assert "30 days" in "".join(event.get("token", "") for event in events)
        assert events[-1]["event"] == "done"
        assert running.rows("select state from turns") == [("done",)]
