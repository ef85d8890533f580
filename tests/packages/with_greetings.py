"""What Docent has where docent_greetings is installed. Run by `tests/bootstrap/test_packages.py` in a process of its
own."""

import re
from pathlib import Path

from app.bootstrap.features import FEATURES, installed_features
from app.webhooks.notice import noticed
from app.webhooks.records import WebhookRecords
from tests.web.console.browser import text_of
from tests.web.console.page_examples import open_console


async def test_a_package_adds_a_page_a_call_and_an_event(tmp_path: Path) -> None:
    names = [feature.name for feature in installed_features()]
    assert names == [*(feature.name for feature in FEATURES), "greetings"]
    async with open_console(tmp_path) as console:
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
        bodies = "".join(each.body.decode() for each in due if each.kind == "greetings.sent")
        assert sorted(re.findall(r'"greeting":"([\w ]+)"', bodies)) == ["Good morning", "Good night"]
    assert "an operator sends a greeting" in noticed().values()
