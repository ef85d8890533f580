"""The guard that actions are called through."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.actions.action import ActionHosts
from app.actions.action_calls import ActionCalls, CountedCaller
from app.actions.records import ActionRecords
from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.answers.offered_actions import CallOutcome
from app.providers.http_caller import CrawlerHttpCaller
from app.workspaces.records.tokens import TokenRecords
from tests.actions.test_action import ACTION
from tests.doubles.counting_rate_limiter import CountingRateLimiter
from tests.doubles.loopback_site import LoopbackSite, running_site
from tests.doubles.temporary_record import temporary_record


@pytest.fixture
def site() -> Iterator[LoopbackSite]:
    with running_site() as running:
        running.page("/orders/A-17", '{"order": "shipped"}', content_type="application/json")
        running.page("/orders/B", status=302, location="https://169.254.169.254/latest/meta-data")
        running.page("/orders/C", status=302, location="/orders/A-17")
        yield running


async def test_private_addresses_and_redirects_are_not_followed(site: LoopbackSite, tmp_path: Path) -> None:
    async with temporary_record(tmp_path) as record:
        with record.writing() as tx:
            workspace_id = TokenRecords(tx).default_workspace()
            agent_id = AgentRecords(tx).create(workspace_id, AgentConfig(name="Shop")).id
            address = f"{site.origin}/orders/{{order}}"
            action = replace(ACTION, id=uuid4(), agent_id=agent_id, url=address)
            ActionRecords(tx).create(action, {"X-Api-Key": "opensesame"})
        told = []
        nothing: tuple[tuple[str, int], ...] = ()
        for allowed in (nothing, (("127.0.0.1", site.port),)):
            async with CrawlerHttpCaller(allowed) as caller:
                calls = ActionCalls(record, caller, CountingRateLimiter(), ActionHosts(("127.0.0.1",)))
                for order in ("A-17", "B", "C"):
                    told.append(await calls.call(workspace_id, action, {"order": order}, {}, CountedCaller("ann")))
    assert [each.outcome is CallOutcome.ANSWERED for each in told] == [False, False, False, True, False, False]
    assert told[0].text.startswith("nothing can be called there")
    assert [each.status for each in told[4:]] == [302, 302]
    assert [path for path, _ in site.asked] == ["/orders/A-17", "/orders/B", "/orders/C"]
