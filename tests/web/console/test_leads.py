"""Leads at the console: read in full, led back to their conversation, taken along as a file."""

import json
import re
from dataclasses import replace
from html import unescape

from app.agents.agents import Agents
from app.agents.widget_settings import Fallback
from app.leads.leads import Leads
from tests.web.console.browser import ConsoleBrowser, Value, text_of
from tests.web.console.page_examples import FORMS
from tests.web.house import House

HOSTILE = '<script>alert(1)</script>"'


def list_path(house: House) -> str:
    return f"/console/agents/{house.agent.id}/leads"


async def offer_a_form(house: House) -> None:
    await house.parts.get(Agents).change_draft(
        house.actor, house.agent.id, lambda draft: replace(draft, fallback=Fallback(form=True))
    )
    await house.parts.get(Agents).publish(house.actor, house.agent.id)


async def leave(house: House, message: str, name: str = "Ann", email: str = "ann@example.com") -> None:
    visitor = await house.visitor()
    body = {"name": name, "email": email, "message": message, "consent": True}
    response = await visitor.call("POST", "/leads", body)
    assert response.status_code == 204, response.text


async def test_without_a_form_the_page_says_how_to_offer_one(house: House, browser: ConsoleBrowser) -> None:
    page = await browser.page(list_path(house))
    assert "Turn it on in the agent's settings" in text_of(page)
    assert f'href="/console/agents/{house.agent.id}/settings#people"' in page
    await offer_a_form(house)
    assert "Turn it on" not in text_of(await browser.page(list_path(house)))


async def test_the_settings_switch_the_form_on(house: House, browser: ConsoleBrowser) -> None:
    path = f"/console/agents/{house.agent.id}/settings"
    form = FORMS["save_settings"]
    people = {"fallback_form": "true", "fallback_consent": "You may write to me.", "fallback_url": "tel:+35699"}
    await browser.flash(await browser.post(path, {**form, **people}))
    agent = await house.parts.get(Agents).agent(house.actor, house.agent.id)
    assert agent.draft.fallback == Fallback("tel:+35699", None, form=True, consent="You may write to me.")
    assert 'value="true" checked' in await browser.page(path)
    await browser.flash(await browser.post(path, form))
    agent = await house.parts.get(Agents).agent(house.actor, house.agent.id)
    assert agent.draft.fallback == Fallback()


async def test_a_link_that_leads_nowhere_is_refused_beside_its_field(house: House, browser: ConsoleBrowser) -> None:
    form = FORMS["save_settings"]
    path = f"/console/agents/{house.agent.id}/settings"
    refused = await browser.post(path, {**form, "fallback_url": "javascript:alert(1)"})
    assert refused.status_code == 422
    assert 'id="save_settings-fallback_url-wrong"' in refused.text


async def test_a_message_is_shown_in_full_with_its_conversation(house: House, browser: ConsoleBrowser) -> None:
    await offer_a_form(house)
    message = f"Do you ship to Malta?\n{HOSTILE} {'and more ' * 400}the end"
    await leave(house, message, name=HOSTILE, email="ann?bcc=eve&x@example.com")
    page = await browser.page(list_path(house))
    assert "<script>alert" not in page
    assert "the end" in text_of(page)
    assert 'href="mailto:ann%3Fbcc%3Deve%26x@example.com"' in page, "an address adds nothing to the letter"
    leads = await house.parts.get(Leads).all_of_agent(house.actor, house.agent.id)
    thread = f"/console/agents/{house.agent.id}/conversations/{leads[0].conversation_id}"
    assert f'href="{thread}"' in page
    assert await browser.page(thread)


async def test_a_long_list_has_pages(house: House, browser: ConsoleBrowser) -> None:
    await offer_a_form(house)
    for number in range(31):
        await leave(house, f"Message {number}.")
    first = await browser.page(list_path(house))
    found = re.search(r'href="([^"]+)" rel="next"', first)
    assert found is not None
    second = await browser.page(unescape(found[1]))
    numbers = [re.findall(r"Message (\d+)\.", page) for page in (first, second)]
    assert [len(each) for each in numbers] == [30, 1]
    assert {*numbers[0], *numbers[1]} == {str(number) for number in range(31)}


async def test_leads_are_taken_along_as_a_file(house: House, browser: ConsoleBrowser) -> None:
    await offer_a_form(house)
    await leave(house, "=HYPERLINK(1)")
    table = await browser.get(f"{list_path(house)}/export")
    assert table.headers["content-disposition"] == 'attachment; filename="leads.csv"'
    assert "'=HYPERLINK(1)" in table.text, "no cell starts a formula"
    items = json.loads((await browser.get(f"{list_path(house)}/export?format=json")).text)
    assert [item["message"] for item in items] == ["=HYPERLINK(1)"]


def shown(page: str) -> list[str]:
    """The names of the leads on a page."""
    return re.findall(r'<h2 dir="auto">(.*?)</h2>', page)


async def test_the_list_opens_on_what_is_open_and_done_is_undone(house: House, browser: ConsoleBrowser) -> None:
    await offer_a_form(house)
    await leave(house, "One.", name="Ann")
    house.clock.advance(1)
    await leave(house, "Two.", name="Ben")
    page = await browser.page(list_path(house))
    assert "Open 2" in text_of(page)
    [lead_id] = re.findall(r'value="([0-9a-f-]{36})"[^>]*aria-label="Select: Ann"', page)
    answer = await browser.post(f"{list_path(house)}/{lead_id}/edit", {"do": "done"})
    after = await browser.page(answer.headers["location"])
    assert "1 lead done." in text_of(after)
    assert shown(after) == ["Ben"]
    done = await browser.page(f"{list_path(house)}?state=done")
    assert shown(done) == ["Ann"]
    assert re.search(r"done you ?, just now", text_of(done)), text_of(done)
    assert await browser.undo(f"{list_path(house)}/edit", after) == "1 lead reopened."
    assert shown(await browser.page(list_path(house))) == ["Ben", "Ann"]


async def test_many_are_changed_and_the_list_stays_narrowed(house: House, browser: ConsoleBrowser) -> None:
    await offer_a_form(house)
    for name in ("Ann", "Ben", "Eve"):
        await leave(house, f"Do you ship to {name}?", name=name)
    page = await browser.page(f"{list_path(house)}?q=ship&assignee=nobody")
    ids = dict(re.findall(r'value="([0-9a-f-]{36})"[^>]*aria-label="Select: (\w+)"', page))
    chosen = [lead_id for lead_id, name in ids.items() if name != "Eve"]
    given: dict[str, Value] = {
        "lead_ids": chosen,
        "do": "assign",
        "assignee": "admin@example.com",
        "back": "q=ship&assignee=nobody",
    }
    answer = await browser.post(f"{list_path(house)}/edit", given)
    after = await browser.page(answer.headers["location"])
    assert "2 leads assigned to admin@example.com." in text_of(after)
    assert shown(after) == ["Eve"]
    assert await browser.undo(f"{list_path(house)}/edit", after) == "2 leads reassigned as before."
    assert len(shown(await browser.page(f"{list_path(house)}?assignee=nobody"))) == 3
    nobody = await browser.post(f"{list_path(house)}/edit", {"do": "done"})
    assert nobody.status_code == 422
    assert "Select at least one lead first" in text_of(nobody.text)


async def test_an_assignee_without_an_account_is_refused(house: House, browser: ConsoleBrowser) -> None:
    await offer_a_form(house)
    await leave(house, "One.")
    [lead] = await house.parts.get(Leads).all_of_agent(house.actor, house.agent.id)
    stranger = {"do": "assign", "assignee": "eve@example.com"}
    refused = await browser.post(f"{list_path(house)}/{lead.id}/edit", stranger)
    assert (refused.status_code, "No operator in this workspace" in refused.text) == (422, True)
