"""A visitor's chat with a person, as a test drives it."""

from playwright.sync_api import Page, expect

from tests.e2e.chat import Chat
from tests.e2e.conftest import Site


class LiveChat(Chat):
    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.call = page.get_by_role("button", name="Talk to a person")
        self.field = page.locator("docent-widget .composer textarea")
        self.waiting = page.locator("docent-widget .waiting")
        self.presence = page.locator("docent-widget .presence")
        self.happened = page.locator("docent-widget .happened")
        self.said = page.locator("docent-widget .said :is(.question, .bubble)")
        self.unsent = page.locator("docent-widget .unsent")

    def say(self, text: str) -> None:
        self.field.fill(text)
        self.field.press("Enter")


def opened(page: Page, site: Site) -> LiveChat:
    LiveChat.opened(page, site)
    return LiveChat(page)


def talking(page: Page, site: Site) -> LiveChat:
    chat = opened(page, site)
    chat.call.click()
    expect(chat.waiting).to_be_visible()
    site.api.person.takes_over()
    expect(chat.presence).to_be_visible()
    return chat
