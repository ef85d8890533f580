"""Mails are read and answered, over a real SMTP server and a mailbox that speaks IMAP, with small doubles behind."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select

from app.agents.records import AgentRecords
from app.conversations.live_chat import Author, LiveState
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.core.errors import InvalidInput
from app.mail.mailer import Mailer
from app.mail.records import MailRecords
from app.mailbox import mail_reading
from app.mailbox.mail_reading import LEASE
from app.mailbox.mailbox import MAX_AN_HOUR, ReplyMode
from app.mailbox.records import MAILBOX_MAILS
from app.providers.pillow_picture import DrawnPicture
from tests.doubles.imap_server import PASSWORD, USER
from tests.doubles.mailers import MAILER
from tests.doubles.post_office import PostOffice
from tests.doubles.token_endpoint import URL

HOW_LONG = "How many days do I have to return a lamp?"
WHO = "Who founded the company?"


class WorkerDied(Exception):
    """Before it could say that it was done."""


class DyingMailer(Mailer):
    def __init__(self) -> None:
        super().__init__(is_on=True, public_url="")

    def put(self, *_: object) -> None:  # type: ignore[override]
        raise WorkerDied


async def test_what_the_agent_is_sure_of_is_answered_in_the_thread(post: PostOffice) -> None:
    await post.connect()
    asked = post.write(f"{HOW_LONG}\n-- \nAnn, +47 123")
    [mail] = await post.read()
    assert (mail["To"], mail["From"]) == ("ann@example.com", "Lamp helper <help@lamps.example>")
    assert (mail["Subject"], mail["In-Reply-To"], mail["References"]) == ("Re: My lamp", asked, asked)
    assert mail["Auto-Submitted"] == "auto-replied"
    body = mail.get_body(("plain",))
    assert body is not None
    text = body.get_content()
    assert "30 days" in text
    assert "https://lamps.example/returns" in text
    assert "A program wrote this answer" in text
    assert post.imap.flags[1] == {r"\Seen", r"\Answered"}
    assert [turn.question for turn in post.turns()] == [f"My lamp\n\n{HOW_LONG}"]
    assert await post.read() == []


async def test_an_answer_to_the_answer_goes_on_with_the_conversation(post: PostOffice) -> None:
    await post.connect()
    post.write(HOW_LONG)
    [first] = await post.read()
    quoted = "\n".join(f"> {line}" for line in str(first.get_body(("plain",))).splitlines())
    text = f"How long does shipping a lamp to Norway take?\n\nOn Monday\nLamp helper wrote:\n{quoted}"
    post.write(text, In_Reply_To=first["Message-ID"])
    [second] = await post.read()
    assert "5 days" in str(second.get_body(("plain",)))
    assert second["References"].split() == [first["Message-ID"], "<2@mua.example>"]
    one, other = post.turns()
    assert one.conversation_id == other.conversation_id
    assert other.question == "How long does shipping a lamp to Norway take?"


async def test_nobody_gets_into_the_thread_of_somebody_else(post: PostOffice) -> None:
    await post.connect()
    asked = post.write(HOW_LONG)
    [answer] = await post.read()
    post.write("And shipping a lamp to Norway?", sender="eve@example.com", References=f"{asked} {answer['Message-ID']}")
    await post.read()
    one, other = post.turns()
    assert one.conversation_id != other.conversation_id


async def test_what_it_is_not_sure_of_goes_to_people_with_a_draft_and_nobody_is_mailed(post: PostOffice) -> None:
    await post.connect()
    post.write(WHO)
    assert await post.read() == []
    [(state, _, [note])] = post.handed_over()
    assert state is LiveState.WAITING
    assert "ann@example.com" in note.text
    assert "a draft that nobody was sent" in note.text
    assert post.imap.flags[1] == set(), "people find it unread"


async def test_as_drafts_alone_nothing_is_sent(post: PostOffice) -> None:
    await post.connect(reply=ReplyMode.DRAFT)
    post.write(HOW_LONG)
    assert await post.read() == []
    assert [state for state, _, _ in post.handed_over()] == [LiveState.WAITING]
    assert "30 days" in post.turns()[0].answer


@pytest.mark.parametrize("text", ["I would like to talk to a person.", "Ich möchte mit einem Menschen sprechen."])
async def test_who_asks_for_a_person_gets_one(text: str, post: PostOffice) -> None:
    await post.connect()
    post.write(text)
    assert await post.read() == []
    [(state, [message], _)] = post.handed_over()
    assert state is LiveState.WAITING
    assert text in message.text
    assert post.turns() == []


async def test_what_people_write_is_mailed_and_answers_reach_them(post: PostOffice) -> None:
    await post.connect()
    asked = post.write(WHO)
    await post.read()
    conversation_id = await post.replied("Ada Lovelace, in 1840.")
    with post.house.record.writing() as tx:
        chat = LiveChatRecords(tx).live_chat(post.actor.workspace_id, conversation_id)
        LiveChatRecords(tx).add(chat, uuid4(), Author.OPERATOR, "Ann", DrawnPicture(b"a portrait", 3, 4))
    [mail] = await post.read()
    written = mail.get_body(("plain",))
    assert written is not None
    assert written.get_content().splitlines() == ["Ada Lovelace, in 1840.", "", "picture-1.webp"]
    [portrait] = mail.iter_attachments()
    assert (portrait.get_filename(), portrait.get_content()) == ("picture-1.webp", b"a portrait")
    assert mail["In-Reply-To"] == asked
    assert "Auto-Submitted" not in mail, "a person wrote it"
    assert await post.read() == []
    post.write("Thank you, and when did she die?", In_Reply_To=mail["Message-ID"])
    assert await post.read() == []
    [(state, messages, _)] = post.handed_over()
    assert state is LiveState.TALKING
    assert [message.text for message in messages][-1] == "Thank you, and when did she die?"


async def test_a_mailbox_that_was_removed_goes_on_where_it_was_once_it_is_connected_again(post: PostOffice) -> None:
    await post.connect()
    asked = post.write(WHO)
    await post.read()
    await post.mailboxes.clear(post.actor, post.house.agent_id)
    conversation_id = await post.replied("Ada Lovelace, in 1840.")
    assert await post.read() == []
    await post.connect()
    [mail] = post.smtp.mails
    assert (mail["To"], mail["In-Reply-To"]) == ("ann@example.com", asked)
    post.write("Thank you, and when did she die?", In_Reply_To=mail["Message-ID"])
    await post.read()
    with post.house.record.writing() as tx:
        assert set(tx.connection.scalars(select(MAILBOX_MAILS.c.conversation_id))) == {conversation_id}


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied (vacation)"},
        {"Precedence": "bulk"},
        {"List_Id": "<news.example.com>"},
        {"X_Auto_Response_Suppress": "OOF, AutoReply"},
        {"Return_Path": "<>"},
        {"From": "MAILER-DAEMON@example.com"},
        {"From": "no-reply@shop.example"},
        {"From": "Lamp helper <Help@lamps.example>"},
        {"From": "ann@example.com, bob@example.com"},
        {"From": "nobody"},
    ],
    ids=str,
)
async def test_programs_lists_and_itself_are_not_answered(headers: dict[str, str], post: PostOffice) -> None:
    await post.connect()
    sender = headers.get("From", "ann@example.com")
    post.write(HOW_LONG, sender=sender, **{name: value for name, value in headers.items() if name != "From"})
    post.write("How long does shipping a lamp to Norway take?")
    [mail] = await post.read()
    assert "5 days" in str(mail.get_body(("plain",))), "the next one is"
    assert post.imap.flags[1] == set()
    assert len(post.turns()) == 1


async def test_a_loop_ends(post: PostOffice) -> None:
    await post.connect()
    for _ in range(MAX_AN_HOUR + 3):
        post.write(HOW_LONG)
    assert len([mail for _ in range(3) for mail in await post.read()]) == MAX_AN_HOUR
    post.house.clock.advance(timedelta(hours=1).total_seconds())
    post.write(HOW_LONG)
    assert len(await post.read()) == 1


async def test_a_second_copy_is_not_answered(post: PostOffice) -> None:
    await post.connect()
    post.write(HOW_LONG, Message_ID="<copy@mua.example>")
    post.write(HOW_LONG, Message_ID="<copy@mua.example>")
    assert len(await post.read()) == 1


async def test_a_mail_that_takes_long_to_open_is_left_alone_and_the_next_is_answered(
    post: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_reading, "_OPENING_SECONDS", 1.0)
    await post.connect()
    head = "From: ann@example.com\nTo: help@lamps.example\n"
    post.imap.receive(f"{head}Content-Type: text/plain; {'a=b; ' * 40_000}\n\n{HOW_LONG}")  # half a minute, and more
    post.write(HOW_LONG)
    assert len(await post.read()) == 1


async def test_a_mail_that_names_thousands_before_it_is_answered(post: PostOffice) -> None:
    await post.connect()
    post.imap.receive(
        f"From: ann@example.com\nSubject: My lamp\nReferences: {'<1@x> ' * 4}"
        + "".join(f"<{number}@x>" for number in range(40_000))
        + f"\n\n{HOW_LONG}"
    )
    assert len(await post.read()) == 1


async def test_another_account_that_numbers_its_mails_alike_is_another(post: PostOffice) -> None:
    await post.connect()
    post.write(HOW_LONG)
    await post.read()
    post.imap.mails.clear()
    post.imap.next_uid = 1
    await post.connect(user=f"{USER}.org")
    post.write("How long does shipping a lamp to Norway take?", sender="bob@example.com")
    post.write("How long does shipping a lamp to Norway take?")
    assert [mail["To"] for mail in await post.read()] == ["bob@example.com", "ann@example.com"]


async def test_a_worker_that_dies_answers_once(post: PostOffice) -> None:
    await post.connect()
    post.write(HOW_LONG)
    post.mailer = DyingMailer()
    with pytest.raises(WorkerDied):
        await post.reading.read_due()
    post.mailer = MAILER
    assert await post.reading.read_due() == 0, "it is claimed"
    post.house.clock.advance(LEASE.total_seconds())
    assert len(await post.read()) == 1
    assert len(post.turns()) == 1, "asked once"
    post.imap.flags[1].clear()  # as if it had died before it could mark the mail
    assert await post.read() == []


async def test_mails_from_before_are_left_alone(post: PostOffice) -> None:
    post.write(HOW_LONG)
    await post.connect()
    assert await post.read() == []
    post.imap.uid_validity += 1
    assert await post.read() == [], "its UIDs may be of other mails now"
    post.write(HOW_LONG)
    assert len(await post.read()) == 1


async def test_html_is_read_without_what_it_quotes(post: PostOffice) -> None:
    await post.connect()
    page = f"<div>{HOW_LONG}</div><div>On Monday Bob wrote:</div><blockquote>What does shipping cost?</blockquote>"
    post.write("", html=f"<html><body>{page}</body></html>", In_Reply_To="<unknown@mua.example>")
    assert len(await post.read()) == 1
    assert [turn.question for turn in post.turns()] == [HOW_LONG]


async def test_what_cannot_be_read_is_said_and_read_later(post: PostOffice) -> None:
    await post.connect("guess")
    assert "wrong name or password" in (await post.box()).last_error
    await post.connect(PASSWORD, folder="Nowhere")
    assert "no such folder" in (await post.box()).last_error
    await post.connect()
    assert (await post.box()).last_error == ""
    post.imap.oversized = True
    post.imap.receive(b"From: ann@example.com\n\n" + b"x" * 2**20)
    await post.read()
    assert "bytes at once" in (await post.box()).last_error


async def test_only_what_is_allowed_of_the_own_network_is_dialled(post: PostOffice) -> None:
    post.allowed = ("127.0.0.1", 9)
    await post.connect()
    assert "not allowed" in (await post.box()).last_error
    await post.connect(port=143)
    assert "not public" in (await post.box()).last_error
    assert post.imap.commands == []


async def test_an_agent_that_is_paused_has_people_answer(post: PostOffice) -> None:
    await post.connect()
    with post.house.record.writing() as tx:
        AgentRecords(tx).pause(post.house.workspace_id, post.house.agent_id, True)
    post.write(HOW_LONG)
    assert await post.read() == []
    assert [state for state, _, _ in post.handed_over()] == [LiveState.WAITING]


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("docent.sqlite*"))


async def test_the_password_lies_sealed_and_goes_to_no_other_host(post: PostOffice, tmp_path: Path) -> None:
    await post.connect()
    assert PASSWORD.encode() not in stored(tmp_path)
    await post.connect("", reply=ReplyMode.DRAFT)
    assert (await post.box()).last_error == ""
    with pytest.raises(InvalidInput, match="password"):
        await post.connect("", host="imap.example.com")


async def test_one_is_read_by_oauth_and_its_newest_refresh_token_is_kept(post: PostOffice, tmp_path: Path) -> None:
    post.endpoint.rotates = True
    post.imap.access_tokens = ["access-1", "access-2"]
    oauth: dict[str, Any] = {"token_url": URL, "client_id": "docent"}
    await post.connect("refresh-0", **oauth)
    assert "AUTHENTICATE failed" in (await post.box()).last_error
    await post.read()
    assert (await post.box()).last_error == ""
    post.write(HOW_LONG)
    assert len(await post.read()) == 1
    assert [each["refresh_token"] for each in post.endpoint.requests] == ["refresh-0", "refresh-1", "refresh-2"]
    assert "LOGIN" not in post.imap.commands
    assert b"refresh-" not in stored(tmp_path)
    post.endpoint.issued = -1
    await post.read()
    assert (await post.box()).last_error.endswith("AADSTS70008: The refresh token has expired.")


async def test_the_keys_of_oauth_go_to_no_other_endpoint(post: PostOffice) -> None:
    oauth: dict[str, Any] = {"token_url": URL, "client_id": "docent"}
    await post.connect("refresh-0", **oauth)
    await post.connect("", **oauth, scope="mail")
    for changes in ({"token_url": "https://evil.example/"}, {"client_id": "other"}, {"token_url": "", "client_id": ""}):
        with pytest.raises(InvalidInput, match="password"):
            await post.connect("", **{**oauth, **changes})
    with pytest.raises(InvalidInput, match="client_id"):
        await post.connect("refresh-0", token_url=URL)
    for url in ("https://[login.example", "https://", "login.example.com"):
        with pytest.raises(InvalidInput, match="token_url"):
            await post.connect("refresh-0", token_url=url, client_id="docent")
    for name in ("client_id", "scope", "secret"):
        with pytest.raises(InvalidInput, match="token_url"):
            await post.connect(**{name: "docent"}, is_verified=False)


async def test_without_a_mail_server_none_is_connected(post: PostOffice) -> None:
    post.mailer = Mailer(is_on=False, public_url="")
    with pytest.raises(InvalidInput, match="no mail server"):
        await post.connect()


async def test_a_visitor_who_is_erased_leaves_nothing(post: PostOffice) -> None:
    await post.connect()
    post.write(HOW_LONG)
    await post.reading.read_due()
    with post.house.record.writing() as tx:
        assert MailRecords(tx).state().waiting == 1
        [visitor_id, _] = tx.connection.scalars(select(MAILBOX_MAILS.c.visitor_id))
        VisitorRecords(tx).erase(post.house.workspace_id, visitor_id)
        assert tx.connection.execute(select(MAILBOX_MAILS)).all() == []
    assert await post.sent() == []
    assert await post.read() == []
