"""Passkeys in a real browser: its own ceremony, with an authenticator that the browser plays."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.console.conftest import COOKIE, ServedConsole
from tests.web.console.browser import PASSWORD


@pytest.fixture
def base(served: ServedConsole) -> str:
    """A passkey is for a name: an IP address has none."""
    return f"http://localhost:{urlsplit(served.base).port}"


@pytest.fixture
def context(browser: Browser, served: ServedConsole, base: str) -> Iterator[BrowserContext]:
    context = browser.new_context()
    secret = served.console.admin.cookies[COOKIE]
    where = base.replace("http:", "https:")
    context.add_cookies([{"name": COOKIE, "value": secret, "url": where, "secure": True, "httpOnly": True}])
    yield context
    context.close()


def with_authenticator(page: Page, *, verifies: bool = True) -> Page:
    """One inside the device, which verifies its user or fails to."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": verifies,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return page


def add(page: Page, base: str, password: str = PASSWORD) -> None:
    page.goto(f"{base}/console/account/passkeys")
    page.get_by_label("Name").fill("My laptop")
    page.locator("#add_passkey-password").fill(password)
    page.get_by_role("button", name="Add passkey").click()


def test_a_passkey_is_added_and_signs_in(context: BrowserContext, served: ServedConsole, base: str) -> None:
    page = with_authenticator(context.new_page())
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    add(page, base)
    expect(page.get_by_role("status")).to_have_text("My laptop is a passkey of yours now.")
    served.console.house.clock.advance(1)
    context.clear_cookies()
    page.goto(f"{base}/console/account")
    page.get_by_role("link", name="Sign in with a passkey").click()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(f"{base}/console/account")
    expect(page.get_by_text("admin@example.com").first).to_be_visible()
    assert said == []


def test_a_device_that_does_not_know_its_user_adds_nothing(context: BrowserContext, base: str) -> None:
    page = with_authenticator(context.new_page(), verifies=False)
    add(page, base)
    expect(page.get_by_role("alert")).to_contain_text("created no passkey")


def test_a_wrong_password_adds_nothing(context: BrowserContext, base: str) -> None:
    page = with_authenticator(context.new_page())
    add(page, base, "a guess at it")
    expect(page.locator("#add_passkey-password-wrong")).to_have_text("This password is wrong. Enter your current one.")
