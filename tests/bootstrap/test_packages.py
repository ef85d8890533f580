"""Another package adds a feature by its entry point: tests/packages/docent_greetings, as it would be installed."""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path

import pytest

from app.bootstrap.features import FEATURES, GROUP, features_of
from app.core.errors import Misconfigured
from app.feature import Features
from app.webhooks.notice import noticed
from app.webhooks.records import WebhookRecords
from tests.web.console.browser import text_of
from tests.web.console.page_examples import open_console

PACKAGES = Path(__file__).parents[1] / "packages"


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """The entry points with the package installed."""
    monkeypatch.syspath_prepend(str(PACKAGES))
    yield list(entry_points(group=GROUP))
    for name in [name for name in sys.modules if name.partition(".")[0] == "docent_greetings"]:
        del sys.modules[name]


async def test_a_package_adds_a_page_a_call_and_an_event(found: list[EntryPoint], tmp_path: Path) -> None:
    features = features_of(found)
    assert [feature.name for feature in features] == [*(feature.name for feature in FEATURES), "greetings"]
    async with open_console(tmp_path, {Features: features}) as console:
        house, agent = console.house, console.house.agent.id
        path = f"/console/agents/{agent}"
        assert f'href="{path}/greetings"' in (await console.editor.get(f"{path}/gaps")).text
        assert "Sent to everyone" in text_of((await console.editor.get(f"{path}/greetings")).text)
        wanting = {"url": "https://hooks.example.com/", "events": ["greetings.sent"]}
        made = await house.api("POST", f"/v1/agents/{agent}/webhooks", wanting)
        assert (made.status_code, made.json()["events"]) == (201, ["greetings.sent"])
        house.clock.advance(1)
        sent = await house.api("POST", f"/v1/agents/{agent}/greetings", {"greeting": "Good morning"})
        assert sent.status_code == 204
        assert (await console.editor.post(f"{path}/greetings", {"greeting": "Good night"})).status_code == 303
        assert (await house.api("POST", f"/v1/agents/{agent}/greetings", {"greeting": ""})).status_code == 422
        assert "sendGreeting" in (await house.http.get("/openapi.json")).text
        with house.record.writing() as tx:
            WebhookRecords(tx).hand_out(100)
            due = WebhookRecords(tx).claim(100, house.clock.now())
        bodies = [each.body.decode() for each in due if each.kind == "greetings.sent"]
        assert sorted(re.findall(r'"greeting":"([\w ]+)"', "".join(bodies))) == ["Good morning", "Good night"]
    assert "an operator sends a greeting" in noticed().values()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("docent_nothing:FEATURE", "cannot be loaded as a feature (docent_nothing:FEATURE): ModuleNotFoundError"),
        ("docent_greetings.feature:NOTHING", "cannot be loaded as a feature (docent_greetings.feature:NOTHING)"),
        ("docent_greetings.feature:GREETED", "names docent_greetings.feature:GREETED, which is no Feature"),
        ("app.leads.feature:FEATURE", 'has a feature "leads", which is there already'),
    ],
)
def test_a_package_at_fault_is_named_at_the_start(found: list[EntryPoint], value: str, reason: str) -> None:
    broken = EntryPoint("broken", value, GROUP)
    with pytest.raises(Misconfigured) as error:
        features_of([broken])
    assert str(error.value).startswith(f"The package {value.partition(':')[0]} {reason}")


def test_an_installed_package_is_named_as_it_was_installed(found: list[EntryPoint]) -> None:
    [greetings] = found
    assert isinstance(greetings.dist, Distribution)
    with pytest.raises(Misconfigured, match="The package docent-greetings has a feature"):
        features_of([greetings, greetings])
