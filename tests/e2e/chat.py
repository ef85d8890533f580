"""What a visitor does and sees, in a visitor's words. Locators look through the widget's open shadow root."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Site

# Any value of an attribute. Playwright takes an empty pattern for none, and `not_to_have_attribute` would always hold.
ANY_VALUE = re.compile(".*")


class Chat:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.launcher = page.locator("docent-widget .launcher")
        self.panel = page.get_by_role("dialog")
        self.log = page.get_by_role("log")
        self.input = page.get_by_role("textbox", name="Ask a question")
        self.send = page.get_by_role("button", name="Send", exact=True)
        self.stop = page.get_by_role("button", name="Stop answering")
        self.retry = page.get_by_role("button", name="Try again")
        self.questions = page.locator("docent-widget .question")
        self.answers = page.locator("docent-widget .answer")
        self.announcer = page.locator("docent-widget .root > [role=status]")

    @classmethod
    def visit(cls, page: Page, site: Site | str) -> "Chat":
        """`site` may be an address."""
        page.goto(site if isinstance(site, str) else site.origin)
        chat = cls(page)
        chat.launcher.wait_for(state="attached")
        return chat

    @classmethod
    def opened(cls, page: Page, site: Site | str) -> "Chat":
        chat = cls.visit(page, site)
        # A page before may have left it open.
        if chat.launcher.get_attribute("aria-expanded") == "false":
            chat.launcher.click()
        expect(chat.log).to_contain_text(re.compile(r"\w"))
        return chat

    def ask(self, question: str) -> None:
        self.input.fill(question)
        self.input.press("Enter")

    @property
    def answer(self) -> Locator:
        """The text of the newest answer, without what stands above and below it."""
        return self.answers.last.locator(".text")

    def finish(self) -> None:
        """Waits until the newest answer has ended well."""
        self.answers.last.get_by_role("button", name="Not helpful").wait_for()
