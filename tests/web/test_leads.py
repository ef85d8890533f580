"""Where the site had no clear answer, a visitor may leave a message for people to answer."""

import csv
import io
from dataclasses import replace

import pytest

from app.agents.agents import Agents
from app.agents.widget_settings import Fallback
from app.workspaces.operator import Role
from app.workspaces.operators import Operators
from tests.store.sample_rows import ask
from tests.web.house import House, Json, VisitorHttp
from tests.web.test_own_conversations import session_of

GIVEN = {"name": "Ann", "email": "ann@example.com", "message": "Do you ship to Malta?", "consent": True}


@pytest.fixture
async def asking(house: House) -> House:
    """A house whose agent offers the form."""
    await offer(house, Fallback(form=True))
    return house


async def offer(house: House, fallback: Fallback) -> None:
    agents = house.parts.get(Agents)
    await agents.change_draft(house.actor, house.agent.id, lambda draft: replace(draft, fallback=fallback))
    await agents.publish(house.actor, house.agent.id)


async def leads(house: House) -> list[Json]:
    found: list[Json] = (await house.api("GET", f"/v1/agents/{house.agent.id}/leads")).json()["items"]
    return found


async def test_what_a_visitor_leaves_is_listed_with_its_conversation(asking: House) -> None:
    visitor = await asking.visitor()
    assert (await visitor.call("POST", "/leads", GIVEN)).status_code == 204
    [lead] = await leads(asking)
    assert (lead["name"], lead["email"], lead["message"]) == ("Ann", "ann@example.com", "Do you ship to Malta?")
    assert lead["conversation_id"] == visitor.session["conversation_id"]
    assert lead["created_at"] == asking.clock.now().isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"consent": False}, "consent"),
        ({"consent": None}, "consent"),
        ({"email": "ann"}, "email"),
        ({"email": "ann@example.com, ben@example.com"}, "email"),
        ({"email": "ann@example.com\nBcc: ben@example.com"}, "email"),
        ({"message": "  "}, "message"),
        ({"message": "x" * 4001}, "message"),
        ({"name": "two\nlines"}, "name"),
        ({"agent_id": "another"}, "agent_id"),
    ],
)
async def test_what_cannot_be_answered_is_refused_by_its_field(asking: House, change: Json, field: str) -> None:
    visitor = await asking.visitor()
    refused = await visitor.call("POST", "/leads", GIVEN | change)
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, field)
    assert await leads(asking) == []


async def test_an_agent_that_offers_no_form_takes_no_message(house: House) -> None:
    refused = await (await house.visitor()).call("POST", "/leads", GIVEN)
    assert refused.status_code == 422
    assert "fallback.form" in refused.json()["error"]["message"]
    assert await leads(house) == []


async def test_the_form_and_the_link_reach_the_widget_as_texts(house: House) -> None:
    await offer(house, Fallback("mailto:help@example.com", "<b>Help</b>", form=True, consent="I agree."))
    assert (await house.init())["agent"]["fallback"] == {
        "url": "mailto:help@example.com",
        "label": "<b>Help</b>",
        "form": True,
        "consent": "I agree.",
    }


async def test_the_visitor_sees_it_in_the_export_and_takes_it_back(asking: House) -> None:
    visitor, other = await asking.visitor(), await asking.visitor()
    await visitor.call("POST", "/leads", GIVEN)
    await other.call("POST", "/leads", GIVEN | {"name": "Ben"})
    [own] = (await visitor.call("GET", "/me/export")).json()["leads"]
    assert own.keys() == {"id", "conversation_id", "name", "email", "message", "created_at"}
    assert own["name"] == "Ann"
    assert (await visitor.call("DELETE", "/me")).json()["rows"]["leads"] == 1
    assert [lead["name"] for lead in await leads(asking)] == ["Ben"]


async def test_no_cell_of_the_file_starts_a_formula(asking: House) -> None:
    hostile = {"name": "=1+1", "email": "+cmd@example.com", "message": "@SUM(A1)\n=HYPERLINK(0)", "consent": True}
    await (await asking.visitor()).call("POST", "/leads", hostile)
    answer = await asking.api("GET", f"/v1/agents/{asking.agent.id}/leads/export")
    assert answer.headers["content-type"].startswith("text/csv")
    [row] = csv.DictReader(io.StringIO(answer.text))
    assert (row["name"], row["email"], row["message"]) == ("'=1+1", "'+cmd@example.com", "'@SUM(A1) =HYPERLINK(0)")
    same = await asking.api("GET", f"/v1/agents/{asking.agent.id}/leads/export?format=json")
    assert same.json() == await leads(asking)


async def test_leads_are_listed_latest_first_page_by_page(asking: House) -> None:
    visitor = VisitorHttp(asking, await asking.init())
    for number in range(3):
        asking.clock.advance(1)
        await visitor.call("POST", "/leads", GIVEN | {"message": str(number)})
    path = f"/v1/agents/{asking.agent.id}/leads?limit=2"
    first = (await asking.api("GET", path)).json()
    rest = (await asking.api("GET", f"{path}&cursor={first['next_cursor']}")).json()
    assert [lead["message"] for lead in (*first["items"], *rest["items"])] == ["2", "1", "0"]


async def test_a_lead_is_given_to_an_operator_of_the_workspace(asking: House) -> None:
    visitor = await asking.visitor()
    await visitor.call("POST", "/leads", GIVEN)
    [lead] = await leads(asking)
    assert lead["assignee"] == ""
    path = f"/v1/leads/{lead['id']}"
    await asking.parts.get(Operators).add(asking.actor, "bob@example.com", Role.EDITOR, "a long password")
    given = await asking.api("PATCH", path, {"assignee": "Bob@example.com"})
    assert (given.status_code, given.json()["assignee"]) == (200, "bob@example.com")
    assert (await leads(asking))[0]["assignee"] == "bob@example.com"
    refused = await asking.api("PATCH", path, {"assignee": "eve@example.com"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "assignee")
    assert (await asking.api("PATCH", path, {"assignee": ""})).json()["assignee"] == ""


async def leave(house: House, **given: str) -> Json:
    """What the list begins with then."""
    house.clock.advance(1)
    await (await house.visitor()).call("POST", "/leads", GIVEN | given)
    return (await leads(house))[0]


async def found(house: House, query: str) -> list[str]:
    """The names of those that fit."""
    answer = await house.api("GET", f"/v1/agents/{house.agent.id}/leads?{query}")
    assert answer.status_code == 200, answer.text
    return [lead["name"] for lead in answer.json()["items"]]


async def test_a_lead_is_done_by_somebody_at_some_time_until_it_is_opened_again(asking: House) -> None:
    lead = await leave(asking)
    assert (lead["state"], lead["done_at"], lead["done_by"]) == ("open", None, "")
    done = (await asking.api("PATCH", f"/v1/leads/{lead['id']}", {"state": "done"})).json()
    now = asking.clock.now().isoformat().replace("+00:00", "Z")
    assert (done["state"], done["done_at"], done["done_by"]) == ("done", now, "write")
    asking.clock.advance(60)
    again = (await asking.api("PATCH", f"/v1/leads/{lead['id']}", {"state": "done"})).json()
    assert again["done_at"] == now, "who was done with it first stays"
    assert (await asking.api("PATCH", f"/v1/leads/{lead['id']}", {"state": "open"})).json() == lead


async def test_a_change_must_say_what_changes(asking: House) -> None:
    lead = await leave(asking)
    assert (await asking.api("PATCH", f"/v1/leads/{lead['id']}", {})).status_code == 422
    assert (await asking.api("PATCH", f"/v1/leads/{lead['id']}", {"state": "lost"})).status_code == 422


async def test_the_list_and_the_file_are_narrowed_alike(asking: House) -> None:
    await asking.parts.get(Operators).add(asking.actor, "bob@example.com", Role.EDITOR, "a long password")
    ann, ben = await leave(asking, name="Ann"), await leave(asking, name="Ben", email="ben@shop.example")
    await leave(asking, name="Zo\u00eb", message="Is \u00c4RGER covered? 100% of it?")
    await asking.api("PATCH", f"/v1/leads/{ann['id']}", {"assignee": "bob@example.com"})
    await asking.api("PATCH", f"/v1/leads/{ben['id']}", {"state": "done"})
    for query, names in {
        "": ["Zo\u00eb", "Ben", "Ann"],
        "state=open": ["Zo\u00eb", "Ann"],
        "state=done": ["Ben"],
        "assignee=bob@example.com": ["Ann"],
        "assignee=nobody": ["Zo\u00eb", "Ben"],
        "assignee=nobody&state=open": ["Zo\u00eb"],
        "q=SHOP.example": ["Ben"],
        "q=malta+ben": ["Ben"],
        "q=%C3%A4rger": ["Zo\u00eb"],
        "q=100%25": ["Zo\u00eb"],
        "q=_": [],
    }.items():
        assert await found(asking, query) == names, query
        file = await asking.api("GET", f"/v1/agents/{asking.agent.id}/leads/export?format=json&{query}")
        assert [lead["name"] for lead in file.json()] == names, query
    refused = await asking.api("GET", f"/v1/agents/{asking.agent.id}/leads?q=1+2+3+4+5+6+7+8+9")
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "q")


async def test_a_lead_is_found_by_what_was_asked_before_it(asking: House) -> None:
    visitor = await asking.visitor()
    await ask(asking.record, session_of(asking, visitor.session), "What does the lamp cost?")
    await visitor.call("POST", "/leads", GIVEN)
    assert await found(asking, "q=lamp") == ["Ann"]
    assert await found(asking, "q=lantern") == []


async def test_many_leads_change_together_or_not_at_all(asking: House) -> None:
    path = f"/v1/agents/{asking.agent.id}/leads/edit"
    first, second = await leave(asking), await leave(asking)
    both = [second["id"], first["id"]]
    missing = await asking.api("POST", path, {"lead_ids": [*both, str(asking.agent.id)], "state": "done"})
    assert missing.status_code == 404
    assert await found(asking, "state=done") == []
    changed = await asking.api("POST", path, {"lead_ids": both, "state": "done"})
    assert [(lead["id"], lead["state"]) for lead in changed.json()["items"]] == [(each, "done") for each in both]
    assert (await asking.api("POST", path, {"lead_ids": [both[0]] * 2, "state": "done"})).status_code == 422
    [entry] = (await asking.api("GET", "/v1/audit?action=lead.")).json()["items"]
    assert (entry["subject"], entry["details"]) == (str(asking.agent.id), {"leads": 2, "state": "done"})
