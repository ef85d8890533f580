"""In a chat with a person either side sees that the other one writes."""

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site
from tests.e2e.live_chat import opened, talking


def test_that_the_person_writes_is_seen_and_spoken_once(page: Page, live_site: Site) -> None:
    chat = talking(page, live_site)
    spoken = page.locator("docent-widget .root > [aria-live=polite]:not([role]) p", has_text="is writing")
    sign = page.locator("docent-widget .typing .dots")
    expect(sign).to_be_hidden()
    live_site.api.person.is_typing = True
    expect(sign).to_be_visible()
    expect(sign).to_be_in_viewport()
    for _ in range(3):
        with page.expect_response(lambda answer: "/person?" in answer.url):
            pass
    expect(spoken).to_have_count(1)
    live_site.api.person.is_typing = False
    live_site.api.person.writes("Hello!")
    expect(chat.said.last).to_have_text("Hello!")
    expect(sign).to_be_hidden()


def test_that_the_visitor_writes_is_told_and_not_what(page: Page, live_site: Site) -> None:
    chat = opened(page, live_site)
    chat.field.press_sequentially("Is")
    assert live_site.api.calls_to("/person/typing") == [], "the agent is told nothing"
    chat.field.fill("")
    chat.call.click()
    live_site.api.person.takes_over()
    expect(chat.presence).to_be_visible()
    with page.expect_response(lambda answer: answer.url.endswith("/person/typing")):
        chat.field.press_sequentially("Is anybody there?")
    [told] = live_site.api.calls_to("/person/typing")
    assert told.body is None
    chat.field.press("Enter")
    expect(chat.said).to_have_text(["Is anybody there?"])
