"""What a website tells of its visitor: signed or unproven, told apart wherever it goes."""

import json
from dataclasses import replace
from uuid import UUID

import pytest

from app.agents.agents import Agents
from app.agents.signed_user import attributes_signature, filter_signature, user_signature
from app.agents.signed_users import SignedUsers
from app.conversations.records.conversations import ConversationRecords
from app.conversations.visitor_facts import MAX_ATTRIBUTES
from app.core.search_filter import AttributeFilter
from tests.web.console.browser import an_operator, text_of
from tests.web.house import House, Json, VisitorHttp
from tests.web.test_signed_users import asked, made_secret, refusal

PRO = '{"plan":"pro","seats":"5"}'


def signed(secret: str, text: str = PRO, user_id: str = "") -> Json:
    return {"signed_attributes": text, "attributes_hash": attributes_signature(secret, text, user_id)}


async def known(house: House, session: Json) -> list[tuple[str, str, bool]]:
    own = house.record.of_workspace(house.actor.workspace_id)
    found = await own.read(lambda tx: ConversationRecords(tx).attributes(UUID(session["visitor_id"])))
    return [(each.name, each.value, each.is_signed) for each in found]


async def test_what_is_signed_and_what_a_page_says_are_told_apart(house: House) -> None:
    secret = await made_secret(house)
    session = await house.init(**signed(secret), attributes={"plan": "enterprise", "theme": "dark"})
    assert await known(house, session) == [("plan", "pro", True), ("seats", "5", True), ("theme", "dark", False)]


async def test_each_opening_tells_anew(house: House) -> None:
    secret = await made_secret(house)
    ann = {"user_id": "ann", "user_hash": user_signature(secret, "ann")}
    await house.init(**ann, **signed(secret, PRO, "ann"))
    session = await house.init(**ann, attributes={"theme": "dark"})
    assert await known(house, session) == [("theme", "dark", False)]
    assert await known(house, await house.init(**ann)) == []


async def test_what_is_not_signed_so_is_refused_with_the_fix(house: House) -> None:
    secret = await made_secret(house)
    ann = {"user_id": "ann", "user_hash": user_signature(secret, "ann")}
    forged: dict[str, Json] = {
        "unsigned": {"signed_attributes": PRO},
        "signed by nobody": {"signed_attributes": PRO, "attributes_hash": "0" * 64},
        "changed": {**signed(secret), "signed_attributes": '{"plan":"enterprise"}'},
        "signed as a filter": {"signed_attributes": PRO, "attributes_hash": filter_signature(secret, PRO)},
        "signed for another user": {**ann, **signed(secret, PRO, "ben")},
        "signed for a user, sent by nobody": signed(secret, PRO, "ann"),
    }
    for how, fields in forged.items():
        status, code, message = await refusal(house, **fields)
        assert (status, code, message.partition(":")[0]) == (401, "unauthorized", "attributes_hash"), how
    assert await refusal(house, attributes_hash="0" * 64) == (
        422,
        "invalid_request",
        "attributes_hash: signed_attributes is missing, so there is nothing to verify. Send both, or neither.",
    )


@pytest.mark.parametrize(
    "plain",
    [
        {"a b": "x"},
        {"": "x"},
        {"plan": ""},
        {"plan": "two\nlines"},
        {"plan": "x" * 201},
        {"plan": 5},
        {f"a{number}": "x" for number in range(MAX_ATTRIBUTES + 1)},
    ],
    ids=["a space", "no name", "empty", "two lines", "too long", "no text", "too many"],
)
async def test_what_cannot_be_an_attribute_is_refused(plain: Json, house: House) -> None:
    assert (await refusal(house, attributes=plain))[0] == 422
    secret = await made_secret(house)
    status, _, message = await refusal(house, **signed(secret, json.dumps(plain)))
    assert status == 422
    assert "signed_attributes" in message


@pytest.mark.parametrize("text", ["", "[]", "pro", '{"plan":null}', "[" * 2000], ids=repr)
async def test_signed_nonsense_is_refused_by_its_field(text: str, house: House) -> None:
    status, _, message = await refusal(house, **signed(await made_secret(house), text))
    assert (status, "signed_attributes" in message) == (422, True)


async def narrowed_by(house: House, *names: str) -> None:
    agents, agent_id = house.parts.get(Agents), house.agent.id
    await agents.change_draft(house.actor, agent_id, lambda draft: replace(draft, filter_attributes=names))
    await agents.publish(house.actor, agent_id)


async def test_signed_ones_narrow_the_pages_where_the_agent_says_so(house: House) -> None:
    secret = await made_secret(house)
    await narrowed_by(house, "plan", "theme")
    told = {**signed(secret), "attributes": {"theme": "dark"}}
    only = '{"path_prefixes":["/docs/"]}'
    for more in ({}, {"filter": only, "filter_hash": filter_signature(secret, only)}):
        await VisitorHttp(house, await house.init(**told, **more)).ask()
    await VisitorHttp(house, await house.init(attributes={"plan": "pro"})).ask()
    filters = [request.only for _, request in house.turns.asked]
    assert [each.attributes for each in filters] == [(AttributeFilter("plan", ("pro",)),)] * 2 + [()]
    assert [each.path_prefixes for each in filters] == [(), ("/docs/",), ()]


async def test_operators_see_them_and_the_visitor_takes_them_along(house: House) -> None:
    secret = await made_secret(house)
    session = await house.init(**signed(secret), attributes={"theme": "<i>dark</i>"})
    await asked(house, session, "Where is my order?")
    browser = await an_operator(house)
    for path in (
        f"/console/agents/{house.agent.id}/conversations/{session['conversation_id']}",
        f"/console/live/{session['conversation_id']}",
    ):
        page = await browser.page(path)
        assert "<i>dark</i>" not in page
        assert "plan: pro signed" in text_of(page)
        assert "theme: <i>dark</i> unproven" in text_of(page)
    export = (await VisitorHttp(house, session).call("GET", "/me/export")).json()
    assert export["attributes"][0] == {"name": "plan", "value": "pro", "is_signed": True}
    assert (await VisitorHttp(house, session).call("DELETE", "/me")).status_code == 200
    assert await known(house, session) == []


async def test_no_other_agent_takes_the_signature(house: House) -> None:
    other = await house.parts.get(Agents).create(house.actor, house.agent.draft)
    others_secret = await house.parts.get(SignedUsers).make_secret(house.actor, other.id)
    await made_secret(house)
    assert (await refusal(house, **signed(others_secret)))[0] == 401
