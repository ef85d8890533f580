"""The panel's frame stands before the panel's script is here, and whatever becomes of that script."""

import json
import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect

from tests.doubles.scripted_widget_api import Step, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

QUESTION = "How long do returns take?"
ANSWER: list[Step] = [*tokens("You have 30 days."), done()]
PANEL = re.compile(r"/widget/panel\.[\w-]{16}\.js$")
NOTE = "Answers are written automatically by an AI system and can be wrong."


class Held:
    """Keeps the panel's script back until it is let through."""

    def __init__(self, page: Page) -> None:
        self._routes: list[Route] = []
        self._is_open = False
        page.route(PANEL, lambda route: self._take(route))

    def let_through(self) -> None:
        self._is_open = True
        for route in self._routes:
            route.continue_()

    def _take(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self._routes.append(route)


def requests_of(page: Page, site: Site) -> list[str]:
    asked: list[str] = []

    def note(request: Request) -> None:
        if request.url.startswith(site.api_origin):
            asked.append(request.url.removeprefix(site.api_origin))

    page.on("request", note)
    return asked


@pytest.mark.parametrize("reach", ["pointer", "focus"])
def test_the_panel_is_fetched_when_a_visitor_comes_near_and_nobody_is_told(page: Page, site: Site, reach: str) -> None:
    asked = requests_of(page, site)
    chat = Chat.visit(page, site)
    chat.launcher.wait_for()
    assert asked == ["/widget/widget.js"]
    with page.expect_response(PANEL):
        if reach == "pointer":
            chat.launcher.hover()
        else:
            page.keyboard.press("Tab")
    assert [bool(PANEL.search(path)) for path in asked] == [False, True]
    assert site.api.calls == []
    expect(chat.panel).to_have_count(0)


def test_a_visitor_types_and_asks_while_the_panel_is_on_its_way(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    held = Held(page)
    chat = Chat.visit(page, site)
    chat.launcher.click()
    expect(chat.input).to_be_focused()
    expect(chat.panel).to_contain_text(NOTE)
    expect(chat.log.locator(".dots")).to_be_visible()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(chat.input).to_have_value(QUESTION)
    assert site.api.calls == []
    held.let_through()
    chat.finish()
    expect(chat.questions).to_have_count(1)
    expect(chat.answer).to_have_text("You have 30 days.")
    expect(chat.input).to_have_value("")
    expect(chat.input).to_be_focused()


def test_what_was_typed_waits_for_enter(page: Page, site: Site) -> None:
    held = Held(page)
    chat = Chat.visit(page, site)
    chat.launcher.click()
    page.keyboard.type("How lo")
    held.let_through()
    expect(chat.log).to_contain_text("Hello!")
    expect(chat.input).to_have_value("How lo")
    expect(chat.send).to_be_enabled()
    expect(chat.questions).to_have_count(0)


def test_a_frame_that_was_closed_before_its_panel_came_opens_whole(page: Page, site: Site) -> None:
    held = Held(page)
    chat = Chat.visit(page, site)
    chat.launcher.click()
    page.keyboard.press("Escape")
    expect(chat.panel).to_be_hidden()
    expect(chat.launcher).to_be_focused()
    held.let_through()
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    assert len(site.api.calls_to("/init")) == 1


def test_a_panel_that_cannot_be_loaded_says_so_and_can_be_tried_again(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    page.route(PANEL, lambda route: route.abort())
    chat = Chat.visit(page, site)
    chat.launcher.click()
    expect(chat.log).to_contain_text("The connection was lost.")
    page.keyboard.type(QUESTION)
    page.unroute(PANEL)
    chat.retry.click()
    expect(chat.log).to_contain_text("Hello!")
    expect(chat.input).to_be_focused()
    expect(chat.input).to_have_value(QUESTION)
    page.keyboard.press("Enter")
    chat.finish()


def test_a_panel_opened_offline_loads_by_itself_when_the_network_is_back(
    page: Page, context: BrowserContext, site: Site
) -> None:
    chat = Chat.visit(page, site)
    context.set_offline(True)
    chat.launcher.click()
    expect(chat.log).to_contain_text("You are offline")
    context.set_offline(False)
    expect(chat.log).to_contain_text("Hello!")


def test_a_page_that_opens_the_chat_by_itself_loads_the_panel_at_once(page: Page, site: Site) -> None:
    site.write(attributes='data-open="true"')
    chat = Chat.visit(page, site)
    expect(chat.log).to_contain_text("Hello!")


def test_another_build_s_panel_does_not_run(page: Page, site: Site) -> None:
    page.route(
        PANEL, lambda route: route.fulfill(body="window.harmed = true", headers={"Access-Control-Allow-Origin": "*"})
    )
    chat = Chat.visit(page, site)
    chat.launcher.click()
    expect(chat.log).to_contain_text("The connection was lost.")
    assert page.evaluate("window.harmed") is None
    assert site.api.calls == []


def test_a_frame_greets_nobody_in_a_language_that_is_about_to_change(page: Page, site: Site) -> None:
    held = Held(page)
    site.write(lang="de")
    chat = Chat.visit(page, site)
    chat.launcher.click()
    expect(chat.panel.locator(".dots")).to_be_visible()
    expect(chat.panel).not_to_contain_text(NOTE)
    expect(page.locator("docent-widget textarea")).to_have_attribute("aria-label", "Chat")
    held.let_through()
    expect(page.locator("docent-widget textarea")).to_have_attribute("aria-label", "Stellen Sie eine Frage")


def layouts_within(trace: bytes, kind: str) -> list[int]:
    """How often the browser had to lay something out before each event of this kind was over."""
    told = [each for each in json.loads(trace)["traceEvents"] if each["ph"] == "X"]
    events = [each for each in told if each["name"] == "EventDispatch" and each["args"]["data"]["type"] == kind]
    layouts = [(each["tid"], each["ts"]) for each in told if each["name"] == "Layout"]
    return [
        sum(tid == event["tid"] and event["ts"] <= at < event["ts"] + event["dur"] for tid, at in layouts)
        for event in events
    ]


def test_a_click_lays_the_panel_out_once(browser: Browser, page: Page, site: Site) -> None:
    """To move the focus; what the panel's script draws, and how high it is, waits for frames: else one task is long."""
    chat = Chat.visit(page, site)
    with page.expect_response(PANEL):
        chat.launcher.hover()
    page.wait_for_load_state("networkidle")
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    chat.launcher.click()
    expect(chat.input).to_be_focused()
    expect(chat.log.locator(".greeting")).to_be_visible()
    assert layouts_within(browser.stop_tracing(), "click") == [1]
