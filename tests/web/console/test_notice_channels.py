"""Channels of a team's chat, as the console adds, shows and removes them."""

import re

from tests.web.console.browser import ConsoleBrowser, Value, text_of
from tests.web.request_bodies import A_CHANNEL

PATH = "/console/notices/channels"
FORM: dict[str, Value] = {"name": "#support", "url": A_CHANNEL, "events": ["gap.grown"]}


async def test_a_channel_is_shown_without_its_address(browser: ConsoleBrowser) -> None:
    assert "No channels yet" in text_of(await browser.page(PATH))
    await browser.post(PATH, FORM)
    page = await browser.page(PATH)
    assert "#support" in page
    [badges] = re.findall(r'<p class="badges">(.*?)</p>', page)
    assert text_of(badges) == "a gap is new, or was asked 5, 20 or 100 times"
    assert A_CHANNEL not in page


async def test_an_address_of_another_service_is_refused(browser: ConsoleBrowser) -> None:
    refused = await browser.post(PATH, {**FORM, "url": "https://hooks.example.com/services/T0/B0/abc"})
    assert refused.status_code == 422
    assert "hooks.slack.com" in text_of(refused.text)


async def test_without_a_public_address_it_says_that_notices_lead_nowhere(browser: ConsoleBrowser) -> None:
    assert "Notices contain no links" in text_of(await browser.page(PATH))
