"""What an operator is told by mail, as they choose it at the console."""

import re

from app.webhooks.notice import noticed
from tests.web.console.browser import ConsoleBrowser, text_of
from tests.web.house import House

PATH = "/console/notices"


def ticked(page: str) -> list[str]:
    return re.findall(r'type="checkbox" value="([\w.]+)" checked', page)


async def test_nothing_is_told_until_it_is_chosen(browser: ConsoleBrowser) -> None:
    page = await browser.page(PATH)
    assert ticked(page) == []
    assert re.findall(r'type="checkbox" value="([\w.]+)"', page) == list(noticed())
    assert "By mail to admin@example.com" in text_of(page)
    assert "a conversation is assigned to you a note mentions you" in text_of(page)


async def test_what_is_chosen_stays_chosen_and_can_be_unchosen(browser: ConsoleBrowser) -> None:
    await browser.post(PATH, {"events": ["gaps.weekly", "conversation.person_asked"]})
    assert ticked(await browser.page(PATH)) == ["conversation.person_asked", "gaps.weekly"]
    await browser.post(PATH, {})
    assert ticked(await browser.page(PATH)) == []


async def test_an_installation_without_a_mail_server_says_so(browser: ConsoleBrowser) -> None:
    assert "so no mail is sent" in text_of(await browser.page(PATH))


async def test_what_no_mail_is_made_of_is_refused(house: House, browser: ConsoleBrowser) -> None:
    refused = await browser.post(PATH, {"events": ["turn.finished"]})
    assert refused.status_code == 422
