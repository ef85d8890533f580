"""Where conversations are handed over to, and what became of them, as the console shows it."""

import re

import pytest

from tests.doubles.visitors import visitor_of
from tests.store.sample_rows import ask
from tests.web.console.browser import ConsoleBrowser, text_of
from tests.web.house import House
from tests.web.undelivered import a_dead_ticket


def path(house: House) -> str:
    return f"/console/agents/{house.agent.id}/help-desk"


async def test_until_one_is_named_nothing_is_handed_over(house: House, browser: ConsoleBrowser) -> None:
    page = text_of(await browser.page(path(house)))
    assert "No help desk yet" in page
    assert "Hand over when" not in page, "one is chosen first"
    assert "so no mail is sent" in text_of(await browser.page(f"{path(house)}?kind=mail"))


ASKED_FOR = {
    "mail": {"account": ""},
    "zendesk": {"host": "", "account": "", "token": ""},
    "intercom": {"host": "", "account": "", "token": ""},
    "freshdesk": {"host": "", "token": ""},
    "chatwoot": {"host": "", "account": "", "inbox": "", "token": ""},
}


@pytest.mark.parametrize("kind", ASKED_FOR)
async def test_each_help_desk_has_a_form_of_its_own_fields(kind: str, house: House, browser: ConsoleBrowser) -> None:
    page = await browser.page(f"{path(house)}?kind={kind}")
    assert set(re.findall(r'id="set_help_desk-(host|account|inbox|token)"', page)) == set(ASKED_FOR[kind])
    assert "Chatwoot:" not in text_of(page), "nothing is said about another one"


async def test_a_refused_form_is_shown_again_for_its_help_desk(house: House, browser: ConsoleBrowser) -> None:
    refused = await browser.post(path(house), {"kind": "chatwoot", "host": "chat.example.com", "account": "x"})
    assert 'id="set_help_desk-inbox"' in refused.text
    assert 'value="chat.example.com"' in refused.text


async def test_what_is_wrong_is_said_at_its_field_and_the_token_is_not_shown_again(
    house: House, browser: ConsoleBrowser
) -> None:
    form = {"kind": "zendesk", "host": "evil.example.com", "account": "ann@example.com", "token": "very-secret"}
    refused = await browser.post(path(house), {**form, "events": ["lead.left"]})
    assert refused.status_code == 422
    assert "such as shop.zendesk.com" in text_of(refused.text)
    assert "very-secret" not in refused.text
    await browser.post(path(house), {**form, "host": "shop.zendesk.com", "events": ["lead.left"]})
    page = await browser.page(path(house))
    assert "shop.zendesk.com" in page
    assert "very-secret" not in page


async def test_a_ticket_that_was_given_up_says_why_and_is_sent_again(house: House, browser: ConsoleBrowser) -> None:
    session = await visitor_of(house.record, house.actor.workspace_id, house.agent.id)
    await ask(house.record, session, "Do you ship to Malta?")
    ticket_id = await a_dead_ticket(house, session.conversation_id)
    shown = text_of(await browser.page(path(house)))
    assert "Do you ship to Malta? failed: the help desk answered 422" in shown
    await browser.post(f"/console/agents/{house.agent.id}/tickets/{ticket_id}/retry", {})
    assert "given up" not in text_of(await browser.page(path(house)))
