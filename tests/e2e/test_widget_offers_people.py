"""Where the site had no clear answer, the widget offers what the agent's operator chose: a link, a form, or nothing."""

import math
import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.doubles.scripted_widget_api import Hold, Refuse, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site
from tests.e2e.real_docent import UNANSWERABLE, RealDocent

QUESTION = "Do you ship to Malta?"
MAIL = "mailto:help@shop.example"
# From the words of the second label to its own field and to the one above.
DISTANCES = """(form) => {
  const [other, own] = form.querySelectorAll("input");
  const words = document.createRange();
  words.selectNodeContents(own.parentElement.firstChild);
  const { top, bottom } = words.getBoundingClientRect();
  return [own.getBoundingClientRect().top - bottom, top - other.getBoundingClientRect().bottom];
}"""


def unsure(page: Page, site: Site, fallback: dict[str, Any] | None) -> Chat:
    site.api.agent = {"name": "Ada", "theme": {}, "starter_prompts": [], "fallback": fallback}
    site.api.script[QUESTION] = [*tokens("Perhaps."), done(low_confidence=True)]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    return chat


def fill_in(page: Page) -> None:
    page.get_by_text("Contact us").click()
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("Your e-mail").fill("ann@example.com")
    page.get_by_label("You may keep this").check()


def test_a_link_leads_to_people(page: Page, site: Site) -> None:
    chat = unsure(page, site, {"url": MAIL, "label": "<b>Write</b> to us"})
    link = chat.answers.last.get_by_role("link", name="<b>Write</b> to us")
    expect(link).to_have_attribute("href", MAIL)
    expect(chat.answers.last.locator("b")).to_have_count(0)
    expect(page.locator("docent-widget details")).to_have_count(0)


def test_a_paused_agent_says_that_the_chat_is_closed_and_leads_to_people(page: Page, site: Site) -> None:
    site.api.agent = {"name": "Ada", "theme": {"greeting": "Hello!"}, "fallback": {"url": MAIL}, "is_paused": True}
    chat = Chat.opened(page, site)
    closed = chat.log.get_by_text("This chat is closed for now.")
    expect(closed).to_be_visible()
    expect(chat.log.get_by_text("Hello!")).to_have_count(0)
    expect(chat.log.get_by_role("link", name="Contact us")).to_have_attribute("href", MAIL)


def test_an_agent_that_is_paused_while_the_panel_is_open_leads_to_people(page: Page, site: Site) -> None:
    site.api.agent = {"name": "Ada", "theme": {}, "fallback": {"form": True}}
    site.api.script[QUESTION] = [Refuse(409, "agent_paused")]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answers.last.get_by_text("This chat is closed for now.")).to_be_visible()
    page.get_by_text("Contact us").click()
    expect(page.get_by_label("Your message")).to_have_value(QUESTION)


def test_ways_to_people_stand_beside_each_other(page: Page, site: Site) -> None:
    page.emulate_media(reduced_motion="reduce")  # else the panel may still rise between two measurements
    chat = unsure(page, site, {"url": "tel:+353209150123", "label": "Call us", "form": True})
    ways = [chat.answers.last.get_by_role("link", name="Call us"), chat.answers.last.get_by_text("Contact us")]
    call, contact = (way.bounding_box() for way in ways)
    assert call
    assert contact
    assert call["y"] == contact["y"]
    ways[1].click()
    form = page.locator("docent-widget form.lead").bounding_box()
    assert form
    assert form["x"] == call["x"], "open, the form has the width of the answer"
    fade = chat.log.bounding_box()
    assert fade
    assert form["y"] + form["height"] <= fade["y"] + fade["height"] - 16, "clear of what fades"


def test_ways_to_people_that_come_late_are_not_cut_off(page: Page, site: Site) -> None:
    held: list[Route] = []
    page.route("**/people.*.js", lambda route: held.append(route))
    chat = unsure(page, site, {"url": MAIL, "form": True})
    # As high as the answer, whatever else the panel has.
    room = "e => e.getBoundingClientRect().bottom - e.querySelector('.actions').getBoundingClientRect().bottom"
    while (spare := chat.log.evaluate(room)) >= 1:
        height = page.evaluate("innerHeight") - math.ceil(spare / 2)
        page.set_viewport_size({"width": 1180, "height": height})
        page.wait_for_function("height => innerHeight === height", arg=height)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    jump = page.get_by_role("button", name="Jump to the end")
    expect(jump).to_be_hidden()
    held.pop().continue_()
    expect(chat.answers.last.get_by_role("link")).to_be_attached()
    expect(jump).to_be_visible()


def test_ways_to_people_whose_script_did_not_come_appear_once_the_network_is_back(
    page: Page, context: BrowserContext, site: Site
) -> None:
    page.route("**/people.*.js", lambda route: route.abort())
    site.api.agent = {"name": "Ada", "theme": {}, "fallback": {"form": True}}
    site.api.script[QUESTION] = [*tokens("Perhaps."), Hold(), done(low_confidence=True)]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer).to_have_text("Perhaps.")
    context.set_offline(True)
    with page.expect_request("**/people.*.js"):
        site.api.release()
    page.unroute("**/people.*.js")
    context.set_offline(False)
    expect(chat.answers.last.get_by_text("Contact us")).to_be_visible()
    expect(chat.panel).not_to_contain_text("The connection was lost.")


def test_a_sure_answer_offers_nobody(page: Page, site: Site) -> None:
    site.api.script["Sure?"] = [*tokens("Yes."), done()]
    chat = unsure(page, site, {"url": MAIL, "form": True})
    chat.ask("Sure?")
    chat.finish()
    expect(chat.answers.last.locator("a, details")).to_have_count(0)
    expect(chat.answers.first.get_by_role("link", name="Contact us")).to_be_visible()


@pytest.mark.parametrize(
    "fallback", [None, {}, {"url": "javascript:alert(1)"}, {"url": "data:text/html,x"}, {"url": "//evil.example"}]
)
def test_without_a_way_to_people_none_is_shown(page: Page, site: Site, fallback: dict[str, Any] | None) -> None:
    expect(unsure(page, site, fallback).answers.last.locator("a, details")).to_have_count(0)


def test_the_form_comes_into_view_with_the_focus_in_it(page: Page, site: Site) -> None:
    unsure(page, site, {"form": True})
    page.get_by_text("Contact us").click()
    expect(page.get_by_label("Your name")).to_be_focused()
    expect(page.locator("docent-widget .lead button").last).to_be_in_viewport(ratio=1)


def test_the_form_takes_the_focus_at_once_and_never_afterwards(page: Page, site: Site) -> None:
    unsure(page, site, {"form": True})
    press = "each => { each.click(); return each.getRootNode().activeElement?.name; }"
    assert page.get_by_text("Contact us").evaluate(press) == "name"
    page.get_by_text("Contact us").click()
    expect(page.get_by_label("Your name")).to_be_hidden()


def test_the_form_is_cancelled_and_keeps_what_was_typed(page: Page, site: Site) -> None:
    unsure(page, site, {"form": True})
    fill_in(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_label("Your name")).to_be_hidden()
    expect(page.locator("docent-widget summary")).to_be_focused()
    page.get_by_text("Contact us").click()
    expect(page.get_by_label("Your name")).to_have_value("Ann")
    assert site.api.calls_to("/leads") == []


def test_each_label_is_nearest_to_its_own_field_and_a_box_fills_a_row(page: Page, site: Site) -> None:
    unsure(page, site, {"form": True})
    page.get_by_text("Contact us").click()
    expect(page.get_by_label("Your name")).to_be_focused()
    to_own, to_other = page.locator("docent-widget .lead").evaluate(DISTANCES)
    assert to_other >= 2 * to_own
    consent = page.locator("docent-widget label", has_text="You may keep this").bounding_box()
    assert consent
    assert consent["height"] >= 44


def test_a_message_is_left_with_its_writer_s_consent(page: Page, site: Site) -> None:
    chat = unsure(page, site, {"form": True, "consent": "I agree to <i>this</i>."})
    page.get_by_text("Contact us").click()
    expect(page.get_by_label("Your message")).to_have_value(QUESTION)
    page.get_by_label("Your e-mail").fill("ann@example.com")
    send = chat.answers.last.get_by_role("button", name="Send")
    send.click()
    assert site.api.calls_to("/leads") == []  # the browser asks for consent first
    page.get_by_label("I agree to <i>this</i>.").check()
    send.click()
    expect(chat.answers.last).to_contain_text("Thank you. We will write to you.")
    [call] = site.api.calls_to("/leads")
    assert call.body == {"name": "", "email": "ann@example.com", "message": QUESTION, "consent": True}
    expect(chat.answers.last.locator("details")).to_have_count(0)


def test_the_form_needs_no_mouse_and_keeps_what_was_typed(page: Page, site: Site) -> None:
    chat = unsure(page, site, {"form": True})
    page.locator("docent-widget summary").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your name")).to_be_focused()
    page.keyboard.type("Ann")
    page.keyboard.press("Tab")
    page.keyboard.type("ann@example.com")
    page.get_by_role("button", name="Helpful", exact=True).click()
    expect(chat.answers.last).to_contain_text("Thank you for telling us.")
    expect(page.get_by_label("Your name")).to_have_value("Ann")
    expect(page.get_by_label("Your e-mail")).to_have_value("ann@example.com")


def test_a_message_that_could_not_be_left_is_still_there(page: Page, site: Site) -> None:
    site.api.refuse_lead = Refuse(503, "overloaded")
    chat = unsure(page, site, {"form": True})
    fill_in(page)
    chat.answers.last.get_by_role("button", name="Send").click()
    expect(chat.panel).to_contain_text("Many people are asking right now.")
    expect(page.get_by_label("Your name")).to_have_value("Ann")


@pytest.mark.parametrize("attributes", ["", 'data-icon="spark"'], ids=["of the agent", "of the tag"])
def test_the_launcher_wears_the_icon(page: Page, site: Site, attributes: str) -> None:
    site.write(attributes=attributes)
    site.api.agent = {"name": "Ada", "theme": {"launcher_icon": "help"}, "starter_prompts": []}
    chat = Chat.visit(page, site)
    line = chat.launcher.locator("path")
    before = line.get_attribute("d")
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    assert (line.get_attribute("d") == before) == bool(attributes)


def test_a_message_reaches_the_operator(page: Page, docent: RealDocent) -> None:
    chat = Chat.opened(page, docent.demo.base)
    chat.ask(UNANSWERABLE)
    chat.finish()
    number = chat.answers.last.get_by_role("link", name="Call +353 20 915 0123")
    expect(number).to_have_attribute("href", "tel:+353209150123")
    fill_in(page)
    with page.expect_response(re.compile("/leads$")) as left:
        chat.answers.last.get_by_role("button", name="Send").click()
    assert left.value.status == 204
    expect(chat.answers.last).to_contain_text("Thank you. We will write to you.")
    [lead] = docent.client.get(f"/v1/agents/{docent.agent_id}/leads")["items"]
    assert (lead["name"], lead["email"], lead["message"]) == ("Ann", "ann@example.com", UNANSWERABLE)
