"""Webhooks at the console: added, their secret shown once, removed; and what could not be delivered to them."""

import re
from collections.abc import Mapping
from html import unescape

import pytest

from app.core.list_page import PageRequest
from app.core.webhook_event import declared_events
from app.webhooks.records import WebhookRecords
from app.webhooks.webhook import Webhook, webhook_secret
from app.webhooks.webhooks import MAX_WEBHOOKS, Webhooks
from app.workspaces.audit_log import AuditLog
from app.workspaces.operator import Role
from app.workspaces.records.tokens import TokenRecords
from tests.web.console.browser import ConsoleBrowser, Value, an_operator, text_of
from tests.web.house import House
from tests.web.undelivered import dead_letters

RECEIVER = "https://hooks.example.com/docent"
FORM: Mapping[str, Value] = {"url": RECEIVER, "events": ["gap.detected", "gaps.weekly"]}
ERROR = "the receiver answered <b>500</b>"


def list_path(house: House) -> str:
    return f"/console/agents/{house.agent.id}/webhooks"


async def latest_audit(house: House) -> tuple[str, str, str]:
    latest = (await AuditLog(house.record).page(house.actor, PageRequest())).items[0]
    return latest.actor, latest.action, latest.subject


async def the_webhook(house: House) -> Webhook:
    [webhook] = await house.parts.get(Webhooks).webhooks(house.actor, house.agent.id)
    return webhook


async def test_without_webhooks_the_page_says_so_and_ticks_what_somebody_has_to_act_on(
    house: House, browser: ConsoleBrowser
) -> None:
    page = await browser.page(list_path(house))
    assert "No webhooks yet" in text_of(page)
    offered = re.findall(r'type="checkbox" value="([\w.]+)"( checked)?', page)
    assert [name for name, _ in offered] == [each.name for each in declared_events()]
    urgent = ["conversation.person_asked", "lead.left", "source.failed", "gap.grown", "budget.spent"]
    assert [name for name, is_ticked in offered if is_ticked] == urgent
    assert [name for name, _ in offered[: len(urgent)]] == urgent


async def test_the_secret_that_signs_is_shown_once(house: House, browser: ConsoleBrowser) -> None:
    made = await browser.post(list_path(house), FORM)
    found = re.search(r'<pre id="secret">(whsec_[\w+/=]+)</pre>', made.text)
    assert found is not None
    assert made.headers["cache-control"] == "no-store"
    webhook = await the_webhook(house)
    with house.record.reading() as tx:
        [key] = TokenRecords(tx).signing_keys()
    assert found[1] == webhook_secret(key.secret, webhook)
    assert "not shown again" in text_of(made.text)
    page = await browser.page(list_path(house))
    assert found[1] not in page
    assert f"{RECEIVER} added just now gap.detected gaps.weekly Remove …" in text_of(page)
    assert await latest_audit(house) == ("admin@example.com", "webhook.create", str(webhook.id))


@pytest.mark.parametrize("url", ["http://hooks.example.com/", "https://10.0.0.1/", "https://localhost/", "no address"])
async def test_an_address_is_refused_in_the_words_of_the_api(house: House, browser: ConsoleBrowser, url: str) -> None:
    refused = await browser.post(list_path(house), {**FORM, "url": url})
    by_api = await house.api("POST", f"/v1/agents/{house.agent.id}/webhooks", {"url": url})
    said = by_api.json()["error"]["message"].removeprefix("url: ")
    assert refused.status_code == 422
    assert f'id="add_webhook-url-wrong">{said}</p>' in unescape(refused.text)
    assert f'value="{url}"' in refused.text, "what was sent is kept"
    ticked = re.findall(r'type="checkbox" value="([\w.]+)" checked', refused.text)
    assert ticked == ["gaps.weekly", "gap.detected"]


@pytest.mark.parametrize(
    ("events", "said"), [([], "Choose at least one event."), (["turn.exploded"], "Choose one of the options.")]
)
async def test_events_are_refused_beside_their_boxes(
    house: House, browser: ConsoleBrowser, events: list[str], said: str
) -> None:
    refused = await browser.post(list_path(house), {"url": RECEIVER, "events": events})
    assert refused.status_code == 422
    assert refused.text.count('id="add_webhook-events-wrong"') == 1
    assert f'id="add_webhook-events-wrong">{said}' in refused.text
    assert "No webhooks yet" in text_of(await browser.page(list_path(house)))


async def test_an_agent_has_as_many_as_the_api_allows(house: House, browser: ConsoleBrowser) -> None:
    for _ in range(MAX_WEBHOOKS):
        assert (await browser.post(list_path(house), FORM)).status_code == 200
    page = await browser.page(list_path(house))
    assert "the maximum number of webhooks" in text_of(page)
    assert "add_webhook" not in page
    assert (await browser.post(list_path(house), FORM)).status_code == 422
    assert len(await house.parts.get(Webhooks).webhooks(house.actor, house.agent.id)) == MAX_WEBHOOKS


async def test_a_removed_webhook_is_gone_with_what_it_missed(house: House, browser: ConsoleBrowser) -> None:
    webhook, _ = await dead_letters(house, 1, ERROR)
    path = f"{list_path(house)}/{webhook}/remove"
    assert f'action="{path}"' in await browser.page(list_path(house))
    assert await browser.flash(await browser.post(path)) == "Webhook removed."
    page = text_of(await browser.page(list_path(house)))
    assert "No webhooks yet" in page
    assert "Not delivered" not in page
    assert await latest_audit(house) == ("admin@example.com", "webhook.delete", str(webhook))
    assert (await browser.post(path)).status_code == 404


async def test_what_was_given_up_is_told_with_the_last_reason(house: House, browser: ConsoleBrowser) -> None:
    await dead_letters(house, 1, ERROR)
    page = await browser.page(list_path(house))
    assert "<b>500" not in page, "what a receiver says is text"
    told = f"gap.detected https://hooks.example.com/ {ERROR} 1 just now in a conversation just now Send again"
    assert told in text_of(page)
    found = re.search(r'href="(/console/agents/[0-9a-f-]+/conversations/[0-9a-f-]+)">in a conversation', page)
    assert found is not None
    assert await browser.page(found[1])


async def test_a_dead_letter_is_sent_again(house: House, browser: ConsoleBrowser) -> None:
    _, [dead] = await dead_letters(house, 1, ERROR)
    path = f"{list_path(house)}/dead-letters/{dead}/retry"
    assert f'action="{path}"' in await browser.page(list_path(house))
    assert "Queued to be sent again" in await browser.flash(await browser.post(path))
    assert "No failed deliveries" in text_of(await browser.page(list_path(house)))
    assert await latest_audit(house) == ("admin@example.com", "webhook.retry", str(dead))
    with house.record.writing() as tx:
        due = WebhookRecords(tx).claim(100, house.clock.now())
    assert [(each.id, each.attempts) for each in due] == [(dead, 1)]
    assert (await browser.post(path)).status_code == 404, "it is on its way already"


async def test_a_long_list_has_pages(house: House, browser: ConsoleBrowser) -> None:
    _, dead = await dead_letters(house, 31, ERROR)
    first = await browser.page(list_path(house))
    found = re.search(r'href="([^"]+)#dead-letters" rel="next"', first)
    assert found is not None
    second = await browser.page(unescape(found[1]))
    ids = [re.findall(r"/dead-letters/([0-9a-f-]+)/retry", page) for page in (first, second)]
    assert [len(each) for each in ids] == [30, 1]
    assert {*ids[0], *ids[1]} == {str(each) for each in dead}


async def test_a_viewer_reads_without_buttons(house: House) -> None:
    await dead_letters(house, 1, ERROR)
    page = await (await an_operator(house, Role.VIEWER)).page(list_path(house))
    assert ERROR in text_of(page)
    assert list_path(house) + "/" not in page
    assert "Add a webhook" not in page


async def test_another_agents_webhook_is_not_there(house: House, browser: ConsoleBrowser) -> None:
    webhook, [dead] = await dead_letters(house, 1, ERROR)
    other = await browser.post("/console/new-agent", {"name": "Bea", "website": "bea.example"})
    theirs = f"/console/agents/{other.headers['location'].split('/')[3]}/webhooks"
    for path in (f"{theirs}/{webhook}/remove", f"{theirs}/dead-letters/{dead}/retry"):
        assert (await browser.post(path)).status_code == 404
    assert (await the_webhook(house)).id == webhook
