"""Operators define what an agent may call; secrets go in and never come out."""

from pathlib import Path

import pytest

from app.actions.actions import MAX_ACTIONS
from app.providers.http_caller import HttpCaller
from app.workspaces.operator import Role
from tests.doubles.shop_api import SHOP, ShopApi
from tests.web.actions import ORDER_STATUS, an_action
from tests.web.console.browser import an_operator
from tests.web.house import House, open_house


async def shop_of(house: House) -> ShopApi:
    shop = house.parts.get(HttpCaller)
    assert isinstance(shop, ShopApi)
    return shop


def stored(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.iterdir() if each.is_file())


async def test_a_header_goes_in_and_is_told_by_its_name_alone(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        path = f"/v1/agents/{house.agent.id}/actions"
        body = {**ORDER_STATUS, "headers": {"X-Api-Key": "zqxopensesame"}}
        made = await house.api("POST", path, body)
        listed = await house.api("GET", path)
        assert made.status_code == 201
        assert listed.json()["items"] == [made.json()]
        assert made.json()["header_names"] == ["X-Api-Key"]
        assert "zqxopensesame" not in made.text + listed.text
        told = await house.api("POST", f"{path}/{made.json()['id']}/try", {"arguments": {"order": "A-17"}})
        assert told.json() | {"duration_ms": 0} == {
            "outcome": "answered",
            "text": "status: shipped",
            "status": 200,
            "duration_ms": 0,
        }
        [asked] = (await shop_of(house)).asked
        assert asked.headers["X-Api-Key"] == "zqxopensesame"
        audit = await house.api("GET", "/v1/audit")
        assert [each["action"] for each in audit.json()["items"][:2]] == ["action.try", "action.create"]
        assert "zqxopensesame" not in audit.text
    assert b"zqxopensesame" not in stored(tmp_path)


async def test_what_is_not_sent_stays_and_headers_never_move_to_another_host(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        path = f"/v1/agents/{house.agent.id}/actions/{await an_action(house)}"
        moved = await house.api("PATCH", path, {"url": "https://api.shop.example:8443/orders/{order}"})
        assert moved.status_code == 422
        assert "Send the headers again" in moved.text
        changed = await house.api("PATCH", path, {"title": "Your order", "url": f"{SHOP}/o/{{order}}"})
        assert (changed.json()["title"], changed.json()["header_names"]) == ("Your order", ["Authorization"])
        assert changed.json()["parameters"] == ORDER_STATUS["parameters"]
        anew = await house.api("PATCH", path, {"url": "https://api.shop.example:8443/o", "headers": {}})
        assert anew.json()["header_names"] == []
        assert (await house.api("DELETE", path)).status_code == 204
        assert (await house.api("PATCH", path, {"title": "x"})).status_code == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"url": "https://other.example/"}, "url"),
        ({"method": "DELETE"}, "changes"),
        ({"method": "TRACE"}, "method"),
        ({"changes": True, "summary": "Look?"}, "changes"),
        ({"name": "Order Status"}, "name"),
        ({"parameters": {"type": "object", "properties": {"order": {"type": "array"}}}}, "parameters"),
        ({"headers": {"Host": "evil.example"}}, "headers"),
        ({"timeout_seconds": 60}, "timeout_seconds"),
    ],
)
async def test_what_cannot_be_is_named(tmp_path: Path, change: dict[str, object], field: str) -> None:
    async with open_house(tmp_path) as house:
        refused = await house.api("POST", f"/v1/agents/{house.agent.id}/actions", {**ORDER_STATUS, **change})
    assert refused.status_code == 422
    assert refused.json()["error"]["field"].split(".")[0] == field


async def test_an_agent_has_so_many_each_by_its_name(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        path = f"/v1/agents/{house.agent.id}/actions"
        for number in range(MAX_ACTIONS):
            assert (await house.api("POST", path, {**ORDER_STATUS, "name": f"a{number}"})).status_code == 201
        again = await house.api("POST", path, {**ORDER_STATUS, "name": "a0"})
        more = await house.api("POST", path, {**ORDER_STATUS, "name": "more"})
        assert "has this name" in again.text
        assert f"has {MAX_ACTIONS} actions at most" in more.text
        assert len((await house.api("GET", path)).json()["items"]) == MAX_ACTIONS


async def test_the_page_shows_what_came_back_and_no_secret(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        (await shop_of(house)).replies["/orders/A-17"] = {"order": "<script>alert(1)</script>\u202e"}
        page = f"/console/agents/{house.agent.id}/actions/{await an_action(house)}"
        editor = await an_operator(house, Role.EDITOR)
        shown = await editor.post(f"{page}/try", {"arguments.order": "A-17"})
        assert shown.status_code == 200
        assert "&lt;script&gt;" in shown.text
        assert "<script>alert" not in shown.text
        assert "opensesame" not in shown.text
