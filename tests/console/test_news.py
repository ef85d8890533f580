"""A visitor who asks for a person is seen on whatever page is open, and heard where a browser was asked to tell."""

import re

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.console.conftest import ServedConsole
from tests.console.test_live_chat import visitor_calls

# Both write down that they were used: neither is to be heard or seen where tests run.
RECORDERS = """
  window.heard = [];
  window.AudioContext = class extends AudioContext {
    createOscillator() { heard.push('tone'); return super.createOscillator(); }
  };
  window.Notification = class {
    static permission = 'granted';
    static async requestPermission() { return 'granted'; }
    constructor(title, { body }) { heard.push(`${title}. ${body}`); }
    addEventListener() {}
  };
"""
ACCOUNT, LIVE, OVERVIEW = "/console/account", "/console/live", "/console"
NOTICE = "A visitor is waiting for a person. Open the console to answer."


def opened(context: BrowserContext, served: ServedConsole, path: str) -> Page:
    page = context.new_page()
    page.goto(served.base.rstrip("/") + path)
    return page


def nobody_waits(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    visitor_calls(context.new_page(), served, "/person/end")


def test_who_waits_shows_on_every_open_page_by_itself_and_goes_again(
    context: BrowserContext, served: ServedConsole
) -> None:
    nobody_waits(context, served)
    pages = [opened(context, served, path) for path in (ACCOUNT, ACCOUNT, OVERVIEW)]
    visitor_calls(pages[0], served, "/person")
    for page in pages:
        expect(page).to_have_title(re.compile(r"^\(1\) "))
        expect(page.get_by_role("link", name="Live 1 waiting")).to_have_count(1)
    for page in pages[:2]:
        expect(page.get_by_text("1 visitor is waiting for a person.")).to_be_visible()
    expect(pages[2].locator(".attention"), "the overview draws itself anew").to_contain_text("asked for a person")
    pages[1].get_by_role("link", name="Answer", exact=True).click()
    expect(pages[1].locator("#chat-state")).to_contain_text("waiting for a person")
    expect(pages[1]).to_have_title(re.compile(r"^\(1\) "))
    expect(pages[1].locator("#in-line"), "whose chat is open is in sight").to_be_hidden()
    visitor_calls(pages[0], served, "/person/end")
    for page in pages:
        expect(page).to_have_title(re.compile(r"^(?!\()"))
        expect(page.locator(".menu").get_by_role("link", name="Live", exact=True)).to_have_count(1)
    expect(pages[0].locator("#in-line")).to_be_hidden()


def test_however_many_pages_are_open_one_listens_and_another_takes_its_place(
    context: BrowserContext, served: ServedConsole
) -> None:
    nobody_waits(context, served)
    streams: list[str] = []
    context.on("request", lambda request: streams.append(request.url) if request.url.endswith("/news") else None)
    with context.expect_event("request", lambda request: request.url.endswith("/news")):
        first = opened(context, served, ACCOUNT)
    second = opened(context, served, ACCOUNT)
    visitor_calls(second, served, "/person")
    expect(second).to_have_title(re.compile(r"^\(1\) "))
    assert len(streams) == 1
    first.close()
    visitor_calls(second, served, "/person/end")
    expect(second).to_have_title(re.compile(r"^(?!\()"))
    assert len(streams) == 2


def test_a_browser_tells_by_sound_and_on_the_desktop_once_and_only_where_it_was_asked_to(
    context: BrowserContext, served: ServedConsole
) -> None:
    context.add_init_script(RECORDERS)
    nobody_waits(context, served)
    page = opened(context, served, LIVE)
    visitor_calls(page, served, "/person")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    assert page.evaluate("heard") == []
    page.get_by_label("Play a sound").check()
    page.get_by_label("Show a desktop notification").check()
    page.wait_for_function("heard.length === 2")  # what it sounds like
    visitor_calls(page, served, "/person/end")
    expect(page).to_have_title(re.compile(r"^(?!\()"))
    page.goto(served.base.rstrip("/") + ACCOUNT)
    served.console.house.clock.advance(1)
    visitor_calls(page, served, "/person")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.wait_for_function("heard.length === 3")
    assert page.evaluate("heard") == ["tone", "tone", NOTICE]
    page.goto(served.base.rstrip("/") + LIVE)
    expect(page.get_by_label("Play a sound")).to_be_checked()
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    assert page.evaluate("heard") == [], "nobody is told twice of one visitor"


def test_the_choice_is_not_offered_where_no_script_runs(browser: Browser, served: ServedConsole) -> None:
    plain = browser.new_context(java_script_enabled=False)
    served.sign_in(plain)
    page = opened(plain, served, LIVE)
    expect(page.locator("#tell-me")).to_be_hidden()
    plain.close()
