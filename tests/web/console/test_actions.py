"""Actions at the console: what the model gives is a list of arguments, or a JSON Schema in its place."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from app.actions.action import Action
from app.actions.actions import Actions
from app.workspaces.operator import Role
from tests.doubles.shop_api import SHOP
from tests.web.actions import ORDER_STATUS, an_action
from tests.web.console.browser import ConsoleBrowser, an_operator, text_of
from tests.web.house import House

ORDER = {
    "arguments.0.name": "order",
    "arguments.0.kind": "string",
    "arguments.0.description": "The order's number.",
    "arguments.0.is_required": "true",
    "arguments.0.most": "20",
}
BLANK = {"arguments.1.name": "", "arguments.1.kind": "string", "arguments.1.is_required": "true"}
FORM = {
    "name": "order_status",
    "title": "Order status",
    "description": "Where an order is.",
    "url": f"{SHOP}/orders/{{order}}",
    **ORDER,
    **BLANK,
}


def list_path(house: House) -> str:
    return f"/console/agents/{house.agent.id}/actions"


async def stored(house: House) -> Action:
    [action] = await house.parts.get(Actions).actions(house.actor, house.agent.id)
    return action


async def refusal(house: House, browser: ConsoleBrowser, changes: Mapping[str, str]) -> str:
    refused = await browser.post(list_path(house), {**FORM, **changes})
    assert refused.status_code == 422
    assert await house.parts.get(Actions).actions(house.actor, house.agent.id) == []
    return refused.text


async def test_arguments_are_listed_and_blank_rows_are_none(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(list_path(house), FORM)
    assert (await stored(house)).parameters == {
        "type": "object",
        "properties": {"order": {"type": "string", "description": "The order's number.", "maxLength": 20}},
        "required": ["order"],
    }


async def test_each_kind_of_argument_has_its_choices_and_limits(house: House, browser: ConsoleBrowser) -> None:
    more = {
        "arguments.1.name": "size",
        "arguments.1.kind": "string",
        "arguments.1.choices": "S\r\nM\r\n",
        "arguments.2.name": "count",
        "arguments.2.kind": "integer",
        "arguments.2.least": "1",
        "arguments.3.name": "weight",
        "arguments.3.kind": "number",
        "arguments.3.choices": "0.5\r\n2",
        "arguments.4.name": "gift",
        "arguments.4.kind": "boolean",
        "arguments.4.title": "A gift",
    }
    await browser.post(list_path(house), {**FORM, **more})
    properties = (await stored(house)).parameters["properties"]
    assert {name: told for name, told in properties.items() if name != "order"} == {
        "size": {"type": "string", "enum": ["S", "M"]},
        "count": {"type": "integer", "minimum": 1},
        "weight": {"type": "number", "enum": [0.5, 2]},
        "gift": {"type": "boolean", "title": "A gift"},
    }
    assert (await stored(house)).parameters["required"] == ["order", "size"], "the row of the size was left ticked"


async def test_what_was_saved_stands_in_the_rows_and_saves_the_same(house: House, browser: ConsoleBrowser) -> None:
    action_id = await an_action(house)
    html = await browser.page(f"{list_path(house)}/{action_id}")
    assert 'name="arguments.0.name" type="text" value="order"' in html
    assert 'name="arguments.0.most" type="number" value="20"' in html
    assert 'name="arguments.1.name" type="text" value=""' in html
    await browser.post(f"{list_path(house)}/{action_id}", FORM)
    assert (await stored(house)).parameters == ORDER_STATUS["parameters"]


async def test_a_json_schema_takes_the_place_of_the_list(house: House, browser: ConsoleBrowser) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]}
    await browser.post(list_path(house), {**FORM, "parameters": json.dumps(schema)})
    assert (await stored(house)).parameters == schema


@pytest.mark.parametrize(
    ("changes", "field", "told"),
    [
        ({"arguments.0.name": ""}, "arguments.0.name", "Give it a name."),
        ({"arguments.0.name": "order no"}, "arguments.0.name", "Write letters, digits and _"),
        ({"arguments.0.most": "many"}, "arguments.0.most", "Enter a number, such as 0.5."),
        ({"arguments.0.most": "-1"}, "arguments.0.most", "a number of characters"),
        (
            {"arguments.0.kind": "integer", "arguments.0.choices": "one"},
            "arguments.0.choices",
            "Write numbers of this type",
        ),
        ({"arguments.0.kind": "boolean", "arguments.0.choices": "yes"}, "arguments.0.choices", "Leave this blank."),
        ({"header_name": "Host", "header_value": "x"}, "header_value", "Docent sets the headers of HTTP"),
        ({"parameters": '{"type": "array"}'}, "parameters", "Write {&#34;type&#34;"),
    ],
    ids=["no name", "no such name", "no number", "no length", "no numbers", "yes or no", "our header", "no schema"],
)
async def test_what_is_wrong_stands_beside_its_field(
    house: House, browser: ConsoleBrowser, changes: Mapping[str, str], field: str, told: str
) -> None:
    html = await refusal(house, browser, changes)
    [beside] = html.split('class="wrong"')[1:]
    assert f'id="create_action-{field}-wrong"' in beside[:80]
    assert told in beside[:300]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({**BLANK, "arguments.1.name": "order"}, "Name each argument once."),
        (
            {"arguments.0.name": "result", "method": "POST", "url": SHOP, "changes": "true", "summary": "Sure?"},
            "{result} is reserved for the response.",
        ),
    ],
    ids=["twice", "reserved"],
)
async def test_what_is_wrong_with_the_list_stands_above_it(
    house: House, browser: ConsoleBrowser, changes: Mapping[str, str], told: str
) -> None:
    html = await refusal(house, browser, changes)
    assert html.count(told) == 1
    [beside] = html.split('class="wrong"')[1:]
    assert told in beside[:200]


async def test_it_is_tried_with_a_field_for_each_argument(house: House, browser: ConsoleBrowser) -> None:
    more = {
        "arguments.1.name": "size",
        "arguments.1.choices": "S\r\nM",
        "arguments.1.is_required": "",
        "arguments.2.name": "count",
        "arguments.2.kind": "integer",
        "arguments.3.name": "gift",
        "arguments.3.kind": "boolean",
        "fixed": "customer={{visitor.id}}",
    }
    await browser.post(list_path(house), {**FORM, **more})
    path = f"{list_path(house)}/{(await stored(house)).id}"
    html = await browser.page(path)
    assert '<select id="try_action-arguments.size"' in html
    assert '<select id="try_action-arguments.gift"' in html
    tried = {"arguments.order": "A-17", "arguments.count": "2", "arguments.gift": "false", "visitor.id": "ann"}
    answered = await browser.post(f"{path}/try", tried)
    assert "status: shipped" in text_of(answered.text)
    assert 'name="arguments.order" type="text" value="A-17"' in answered.text, "to be tried again with another"
    refused = await browser.post(f"{path}/try", {**tried, "arguments.count": "some"})
    assert "count: does not satisfy the schema's type" in text_of(refused.text)


async def test_a_viewer_sees_what_an_action_is(house: House) -> None:
    path = f"{list_path(house)}/{await an_action(house)}"
    viewer = await an_operator(house, Role.VIEWER)
    html = await viewer.page(path)
    assert "The order's number." in text_of(html)
    assert "Secret headers Authorization" in text_of(html)
    assert "<input" not in html.split("<main")[1]
