"""Whose address has accounts in several workspaces, at an identity provider."""

import re
from html import unescape
from urllib.parse import urlencode

import httpx2

from app.workspaces.workspaces import Workspaces
from tests.web.console.browser import PASSWORD, ConsoleBrowser, text_of
from tests.web.console.test_provider_sign_in import ANSWER, START, Place, place

__all__ = ["place"]


async def chosen(place: Place, browser: ConsoleBrowser, shown: httpx2.Response, label: str) -> httpx2.Response:
    """What follows the button of that label, at the provider and back."""
    assert shown.status_code == 200, shown.headers.get("location")
    found = {
        text_of(name): unescape(href)
        for href, name in re.findall(r'href="([^"]*workspace=[^"]*)">(.*?)</a>', shown.text)
    }
    begun = await browser.get(found[label])
    return await browser.get(f"{ANSWER}?{urlencode(place.provider.let_in(begun.headers['location']))}")


async def test_who_is_invited_elsewhere_is_not_kept_out_of_where_new_accounts_are_made(place: Place) -> None:
    """Whoever manages another workspace may name any address there."""
    await place.house.parts.get(Workspaces).create(place.house.actor, "Shop", "ann@example.com", PASSWORD)
    browser = ConsoleBrowser(place.house)
    assert (await place.sign_in(browser)).status_code == 303, "an address that is not confirmed is nobody's there"
    assert "default" in text_of(await browser.page("/console/account"))
    place.provider.person |= {"sub": "another ann", "email_verified": True}
    again = ConsoleBrowser(place.house)
    assert (await place.sign_in(again)).status_code == 303, "the account of here is the first one's"
    assert "Shop" in text_of(await again.page("/console/account"))


async def test_whose_address_has_several_accounts_chooses_one_and_each_becomes_theirs(place: Place) -> None:
    place.provider.person["email_verified"] = True
    await place.house.parts.get(Workspaces).create(place.house.actor, "Shop", "ann@example.com", PASSWORD)
    browser = ConsoleBrowser(place.house)
    shown = await place.sign_in(browser, "/console/account")
    answer = await chosen(place, browser, shown, "default (new account)")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/account")
    assert "default" in text_of(await browser.page("/console/account"))
    for _ in range(2):
        browser = ConsoleBrowser(place.house)
        assert (await chosen(place, browser, await place.sign_in(browser), "Shop")).status_code == 303
        assert "Shop" in text_of(await browser.page("/console/account"))
    browser = ConsoleBrowser(place.house)
    assert (await chosen(place, browser, await place.sign_in(browser), "default")).status_code == 303
    assert (await ConsoleBrowser(place.house).get(f"{START}?workspace=x")).status_code in (400, 422)
