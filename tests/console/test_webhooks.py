"""An operator adds a webhook, sees its secret once, and removes it."""

import re

from playwright.sync_api import BrowserContext, expect

from tests.console.conftest import ServedConsole

RECEIVER = "https://receiver.example.com/docent"


def test_a_webhook_is_added_its_secret_seen_once_and_removed(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base.rstrip('/')}/console/live")
    page.get_by_text("Set-up", exact=True).click()
    page.get_by_role("link", name="Webhooks", exact=True).click()
    address, secret = page.get_by_label("Address"), page.get_by_text(re.compile(r"^whsec_[\w+/]{43}=$"))
    address.fill("http://receiver.example.com/")
    page.get_by_role("group", name="Notify when").get_by_label("source.failed").uncheck()
    address.press("Enter")
    expect(address).to_have_accessible_description(re.compile("Enter an address that begins with https://"))
    expect(page.get_by_label("source.failed"), "what was sent is kept").not_to_be_checked()
    address.fill(RECEIVER)
    address.press("Enter")
    expect(secret).to_have_count(1)
    page.get_by_role("link", name="Webhooks", exact=True).click()
    expect(secret).to_have_count(0)
    made = page.get_by_role("list", name="Webhooks, oldest first").get_by_role("listitem").filter(has_text=RECEIVER)
    expect(made).to_contain_text("conversation.person_asked")
    expect(made).not_to_contain_text("source.failed")
    remove = made.get_by_role("button", name="Remove webhook")
    expect(remove, "one is asked first").to_be_hidden()
    made.get_by_text(f"Remove … {RECEIVER}").press("Enter")
    remove.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Webhook removed")
    expect(made).to_have_count(0)
