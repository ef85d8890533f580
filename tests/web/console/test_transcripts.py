"""A conversation goes by mail to the address that an operator names, with what was said and nothing else."""

from uuid import UUID

import pytest

from app.conversations.transcripts import Transcripts
from app.core.errors import InvalidInput
from app.mail.mailer import Mailer
from tests.doubles.mailers import MAILER
from tests.web.console.page_examples import OpenConsole
from tests.web.test_own_transcripts import waiting


def conversation(console: OpenConsole) -> UUID:
    return UUID(str(console.rooms.ids["conversation_id"]))


async def test_it_holds_what_was_said_with_its_sources_and_no_note(console: OpenConsole) -> None:
    house = console.house
    await Transcripts(house.record, MAILER).send(house.actor, conversation(console), " ann@example.com ")
    [mail] = waiting(house)
    assert (mail.to, mail.subject) == ("ann@example.com", "Docs: What does it cost?")
    assert "> What does it cost?\nDocs (AI): 12 euros [1].\n[1] Pricing https://www.example.com/pricing" in mail.text
    assert "> Is anybody there?" in mail.text
    assert "[Picture]" in mail.text
    assert "warehouse" not in mail.text, "a note"
    audit = (await house.api("GET", "/v1/audit?action=conversation.send_transcript")).text
    assert "conversation.send_transcript" in audit
    assert "ann@example.com" not in audit


@pytest.mark.parametrize("email", ["", "ann", "ann@example.com\r\nBcc: eve@example.com", "a@b, c@d"])
async def test_what_is_no_address_gets_nothing(console: OpenConsole, email: str) -> None:
    house = console.house
    with pytest.raises(InvalidInput) as refused:
        await Transcripts(house.record, MAILER).send(house.actor, conversation(console), email)
    assert refused.value.field == "email"
    assert waiting(house) == []


async def test_without_a_mail_server_it_is_refused(console: OpenConsole) -> None:
    house = console.house
    without = Transcripts(house.record, Mailer(is_on=False, public_url=""))
    assert not without.can_send
    with pytest.raises(InvalidInput, match="no mail server"):
        await without.send(house.actor, conversation(console), "ann@example.com")


async def test_at_the_console_it_stands_beside_the_visitor(console: OpenConsole) -> None:
    ids = console.rooms.ids
    path = f"/console/agents/{ids['agent_id']}/conversations/{ids['conversation_id']}"
    assert "Mail this conversation" in await console.editor.page(path)
    assert "Mail this conversation" not in await console.viewer.page(path)
    refused = await console.editor.post(f"{path}/transcript", {"email": "ann"})
    assert 'id="send_transcript-email-wrong"' in refused.text
    said = await console.editor.flash(await console.editor.post(f"{path}/transcript", {"email": "ann@example.com"}))
    assert said == "Conversation mailed."
    assert [mail.to for mail in waiting(console.house)] == ["ann@example.com"]
