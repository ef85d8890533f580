"""A visitor takes their conversation along: as text, and by mail to the address that their website has signed."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from app.agents.signed_user import attributes_signature, user_signature
from app.mail.mail import Mail
from app.mail.records import MailRecords
from tests.doubles.mailers import MAILER
from tests.web.house import House, VisitorHttp, open_house
from tests.web.test_signed_users import asked, made_secret


@pytest.fixture
async def posting(tmp_path: Path) -> AsyncIterator[House]:
    """With a mail server."""
    async with open_house(tmp_path, mailer=MAILER) as opened:
        yield opened


def waiting(house: House) -> list[Mail]:
    with house.record.writing() as tx:
        found = MailRecords(tx).claim(8, house.clock.now() + timedelta(minutes=5))
    return [each.mail for each in found if each.mail is not None]


async def signed_in(house: House, email: str = "ann@example.com", **plain: str) -> VisitorHttp:
    secret = await made_secret(house)
    attributes = json.dumps({"email": email})
    return VisitorHttp(
        house,
        await house.init(
            user_id="ann",
            user_hash=user_signature(secret, "ann"),
            signed_attributes=attributes,
            attributes_hash=attributes_signature(secret, attributes, "ann"),
            attributes=plain,
        ),
    )


async def test_it_goes_to_the_signed_address_and_holds_what_was_said(posting: House) -> None:
    ann = await signed_in(posting)
    await asked(posting, ann.session, "What does it cost?")
    told = (await ann.call("GET", "/transcript")).json()
    assert told["mails_to"] == "ann@example.com"
    assert told["text"].startswith("> What does it cost?\n")
    sent = await ann.call("POST", "/transcript")
    assert (sent.status_code, sent.content) == (204, b"")
    [mail] = waiting(posting)
    assert mail.to == "ann@example.com"
    assert mail.subject.endswith(": What does it cost?")
    assert "\n\n".join(mail.paragraphs) == told["text"]


async def test_no_call_names_another_address(posting: House) -> None:
    ann = await signed_in(posting)
    await asked(posting, ann.session, "What does it cost?")
    await ann.call("POST", "/transcript", {"email": "eve@example.com", "mails_to": "eve@example.com"})
    assert {mail.to for mail in waiting(posting)} == {"ann@example.com"}


async def test_it_is_sent_once_an_hour(posting: House) -> None:
    ann = await signed_in(posting)
    await asked(posting, ann.session, "What does it cost?")
    assert (await ann.call("POST", "/transcript")).status_code == 204
    again = await ann.call("POST", "/transcript")
    assert (again.status_code, again.json()["error"]["code"]) == (429, "rate_limited")
    assert len(waiting(posting)) == 1


async def test_an_address_that_a_page_says_is_none(posting: House) -> None:
    visitor = VisitorHttp(posting, await posting.init(attributes={"email": "eve@example.com"}))
    await asked(posting, visitor.session, "What does it cost?")
    assert (await visitor.call("GET", "/transcript")).json()["mails_to"] is None
    refused = await visitor.call("POST", "/transcript")
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "email")
    assert waiting(posting) == []


async def test_a_signed_text_that_is_no_address_is_none(posting: House) -> None:
    ann = await signed_in(posting, "ann")
    await asked(posting, ann.session, "What does it cost?")
    assert (await ann.call("GET", "/transcript")).json()["mails_to"] is None
    assert (await ann.call("POST", "/transcript")).status_code == 422


async def test_without_a_mail_server_it_is_text_alone(house: House) -> None:
    ann = await signed_in(house)
    await asked(house, ann.session, "What does it cost?")
    told = (await ann.call("GET", "/transcript")).json()
    assert told["mails_to"] is None
    assert told["text"].startswith("> ")
    assert (await ann.call("POST", "/transcript")).status_code == 422


async def test_where_nothing_was_said_nothing_is_sent(posting: House) -> None:
    ann = await signed_in(posting)
    assert (await ann.call("GET", "/transcript")).json()["text"] == ""
    assert (await ann.call("POST", "/transcript")).status_code == 422
    assert waiting(posting) == []


async def test_a_cleared_conversation_is_not_told(posting: House) -> None:
    ann = await signed_in(posting)
    await asked(posting, ann.session, "What does it cost?")
    await ann.call("POST", "/conversation/clear")
    assert (await ann.call("GET", "/transcript")).status_code in (401, 404)
    assert (await ann.call("POST", "/transcript")).status_code in (401, 404)
    assert waiting(posting) == []
