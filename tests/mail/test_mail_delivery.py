"""Mails that were put into the record reach a real mail server: none is lost, and only a crash sends one twice."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from uuid import UUID

import pytest

from app.core.actor import MANAGE, Actor
from app.core.errors import InvalidInput
from app.mail.mail import Mail, MailLink
from app.mail.mailer import MailDelivery, Mailer
from app.mail.records import MAILS, MailRecords
from app.providers.access_tokens import AccessTokens
from app.providers.mail_transport import AiosmtplibMailTransport, MailFailure, MailTransport
from app.store.delivery_loop import KEPT, RETRY_AFTER, DeliveryState
from app.store.sealed_rows import SealedRows
from app.store.secret_keys import SecretKeys
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.sealed_secrets import SealedSecrets
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.mail_server import PASSWORD, USER, MailServer, certificate_for_loopback, running_mail_server
from tests.doubles.temporary_record import temporary_record
from tests.doubles.token_endpoint import CLIENT, TokenEndpoint
from tests.doubles.visitors import visitor_of_new_agent

SENDER = Address("Docent", "docent", "example.com")
RESET = Mail(
    "ann@example.com", "Your password", ("Choose another.",), MailLink("Here", "https://docent.example.com/r/s3cret")
)
MAILER = Mailer(is_on=True, public_url="https://docent.example.com")


@dataclass
class CrashingTransport:
    """Hands the message over, and then the process dies before it can say so."""

    inner: MailTransport

    async def send(self, message: EmailMessage) -> MailFailure | None:
        await self.inner.send(message)
        raise asyncio.CancelledError

    async def greet(self) -> MailFailure | None:
        return await self.inner.greet()


@dataclass
class PostRoom:
    folder: Path
    record: SystemOfRecord
    clock: FixedClock
    server: MailServer
    workspace_id: UUID

    @property
    def transport(self) -> AiosmtplibMailTransport:
        return AiosmtplibMailTransport("127.0.0.1", self.server.port, "", "", is_tls=False, is_plain=True)

    @property
    def delivery(self) -> MailDelivery:
        return self.delivery_by(self.transport)

    def delivery_by(self, transport: MailTransport) -> MailDelivery:
        return MailDelivery(self.record, transport, SENDER, self.clock, luck=lambda: 0.5)

    async def put(self, mail: Mail = RESET) -> None:
        await self.record.of_workspace(self.workspace_id).write(lambda tx: MAILER.put(tx, self.workspace_id, mail))

    async def state(self) -> DeliveryState:
        return await self.record.read(lambda tx: MailRecords(tx).state())


@pytest.fixture
async def post_room(tmp_path: Path) -> AsyncIterator[PostRoom]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        session = await visitor_of_new_agent(record)
        with running_mail_server() as server:
            yield PostRoom(tmp_path, record, clock, server, session.workspace_id)


async def test_a_mail_reaches_the_server_and_leaves_nothing_behind(post_room: PostRoom) -> None:
    await post_room.put()
    assert await post_room.delivery.deliver() == 1
    [mail] = post_room.server.mails
    assert mail["Subject"] == "Your password"
    assert post_room.server.envelopes == [("docent@example.com", ["ann@example.com"])]
    assert await post_room.state() == DeliveryState(0, 0, "")
    assert await post_room.delivery.deliver() == 0
    with sqlite3.connect(post_room.folder / "docent.sqlite") as raw:
        assert raw.execute("select count(*) from mails").fetchone() == (0,)


async def test_a_mail_of_what_did_not_happen_is_not_sent(post_room: PostRoom) -> None:
    def work(tx: Transaction) -> float:
        MAILER.put(tx, post_room.workspace_id, RESET)
        return 1 / 0

    with pytest.raises(ZeroDivisionError):
        await post_room.record.write(work)
    assert await post_room.delivery.deliver() == 0


async def test_what_waits_lies_sealed(post_room: PostRoom) -> None:
    await post_room.put()
    for path in post_room.folder.glob("docent.sqlite*"):
        stored = path.read_bytes()
        assert b"s3cret" not in stored
        assert b"ann@example.com" not in stored


async def test_an_address_that_is_none_is_refused_before_anything_is_stored(post_room: PostRoom) -> None:
    with pytest.raises(InvalidInput, match="email"):
        await post_room.put(replace(RESET, to="ann@example.com\nBcc: all@example.com"))
    assert (await post_room.state()).waiting == 0


async def test_a_process_that_dies_after_the_server_took_it_sends_it_again_under_its_message_id(
    post_room: PostRoom,
) -> None:
    await post_room.put()
    with pytest.raises(asyncio.CancelledError):
        await post_room.delivery_by(CrashingTransport(post_room.transport)).deliver()
    assert await post_room.delivery.deliver() == 0
    post_room.clock.advance(MailDelivery.LEASE.total_seconds() + 1)
    assert await post_room.delivery.deliver() == 1
    first, second = post_room.server.mails
    assert first["Message-ID"] == second["Message-ID"]


async def test_two_workers_send_each_mail_once(post_room: PostRoom) -> None:
    for number in range(12):
        await post_room.put(replace(RESET, subject=f"Mail {number}"))

    async def work() -> None:
        while await post_room.delivery.deliver():
            pass

    await asyncio.gather(work(), work())
    assert sorted(mail["Subject"] for mail in post_room.server.mails) == sorted(f"Mail {n}" for n in range(12))


async def test_a_server_that_is_away_gets_the_mail_when_it_is_back(post_room: PostRoom) -> None:
    await post_room.put()
    away = AiosmtplibMailTransport("127.0.0.1", 9, "", "", is_tls=False, is_plain=True)
    await post_room.delivery_by(away).deliver()
    assert "127.0.0.1:9" in (await post_room.state()).last_error
    assert await post_room.delivery.deliver() == 0
    post_room.clock.advance(RETRY_AFTER[0].total_seconds())
    assert await post_room.delivery.deliver() == 1
    assert len(post_room.server.mails) == 1


async def test_a_server_that_never_takes_it_is_asked_as_often_as_a_webhook_is_and_the_mail_is_kept_for_a_while(
    post_room: PostRoom,
) -> None:
    post_room.server.refuses_data = "451 4.3.0 try later"
    await post_room.put()
    for pause in (*RETRY_AFTER, timedelta()):
        assert await post_room.delivery.deliver() == 1
        post_room.clock.advance(pause.total_seconds())
    assert await post_room.delivery.deliver() == 0
    assert await post_room.state() == DeliveryState(0, 1, "the server said 451 4.3.0 try later")
    assert await post_room.delivery.forget() == 0
    post_room.clock.advance(KEPT.total_seconds() + 1)
    assert await post_room.delivery.forget() == 1


async def test_an_error_of_our_own_counts_as_an_attempt_and_holds_up_no_other(post_room: PostRoom) -> None:
    @dataclass
    class Stumbling(CrashingTransport):
        async def send(self, message: EmailMessage) -> MailFailure | None:
            if message["To"] == "bo@example.com":
                raise RecursionError
            return await self.inner.send(message)

    delivery = post_room.delivery_by(Stumbling(post_room.transport))
    await post_room.put(replace(RESET, to="bo@example.com"))
    await post_room.put()
    assert await delivery.deliver() == 2
    assert [mail["To"] for mail in post_room.server.mails] == ["ann@example.com"]
    for delay in RETRY_AFTER:
        post_room.clock.advance(1.1 * delay.total_seconds() + 1)
        assert await delivery.deliver() == 1
    state = await post_room.state()
    assert (state.waiting, state.given_up) == (0, 1)
    assert "RecursionError" in state.last_error


async def test_a_recipient_whom_the_server_does_not_know_is_not_asked_for_again(post_room: PostRoom) -> None:
    post_room.server.refuses["ann@example.com"] = "550 5.1.1 no such user"
    await post_room.put()
    await post_room.delivery.deliver()
    assert await post_room.state() == DeliveryState(0, 1, "the server refused the recipient: 550 5.1.1 no such user")


async def test_a_mail_to_what_an_earlier_version_took_for_an_address_holds_up_no_other(post_room: PostRoom) -> None:
    with post_room.record.writing() as tx:
        MailRecords(tx).add(post_room.workspace_id, replace(RESET, reply_to="a..b@example.com"))
    await post_room.put()
    await post_room.delivery.deliver()
    assert len(post_room.server.mails) == 1
    assert await post_room.state() == DeliveryState(0, 1, "email: Write an e-mail address, such as ann@example.com.")


async def test_a_server_that_may_not_send_for_us_is_asked_again_for_an_operator_can_mend_that(
    post_room: PostRoom,
) -> None:
    post_room.server.refuses["ann@example.com"] = "554 5.7.1 relay access denied"
    await post_room.put()
    await post_room.delivery.deliver()
    assert (await post_room.state()).waiting == 1


async def test_a_mail_waits_for_a_change_of_the_secret_key(post_room: PostRoom) -> None:
    before, after = b"b" * 32, b"a" * 32
    keys = SecretKeys(lambda: [before])
    await post_room.put()
    with post_room.record.writing() as tx:  # as if it had been sealed by the key of before
        tx = replace(tx, secret_keys=keys)
        SealedRows(tx, MAILS).forget_locked()
        MailRecords(tx).add(post_room.workspace_id, RESET)
        changed = replace(tx, secret_keys=SecretKeys(lambda: [after, before]))
        assert SealedRows(changed, MAILS).seal_again() == 1
        only_new = replace(tx, secret_keys=SecretKeys(lambda: [after]))
        [waiting] = MailRecords(only_new).claim(8, post_room.clock.now() + MailDelivery.LEASE)
    assert waiting.mail == RESET


async def test_a_mail_that_no_key_opens_is_given_up_or_forgotten(post_room: PostRoom) -> None:
    with post_room.record.writing() as tx:
        MailRecords(replace(tx, secret_keys=SecretKeys(lambda: [b"x" * 32]))).add(post_room.workspace_id, RESET)
    await post_room.delivery.deliver()
    assert (await post_room.state()).given_up == 1
    assert post_room.server.mails == []
    admin = Actor(post_room.workspace_id, "ann", frozenset((MANAGE,)))
    assert await SealedSecrets(post_room.record).forget(admin) == 1
    assert (await post_room.state()).given_up == 0


async def test_a_worker_signs_in_over_starttls_and_checks_the_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certificate_for_loopback(tmp_path)
    with running_mail_server(certificate, wants_password=True) as server:
        transport = AiosmtplibMailTransport("127.0.0.1", server.port, USER, PASSWORD, is_tls=False, is_plain=False)
        refused = await transport.greet()
        assert refused is not None
        assert "certificate" in refused.reason
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert await transport.greet() is None
        assert (server.signed_in, server.mails) == (1, [])
        wrong = AiosmtplibMailTransport("127.0.0.1", server.port, USER, "guess", is_tls=False, is_plain=False)
        assert (await wrong.greet() or MailFailure("")).reason.startswith("the server said 535")


async def test_a_worker_signs_in_by_oauth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, clock = certificate_for_loopback(tmp_path), FixedClock()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    endpoint = TokenEndpoint()
    token = partial(AccessTokens(endpoint, clock).text, CLIENT)
    with running_mail_server(certificate, wants_password=True) as server:
        transport = AiosmtplibMailTransport(
            "127.0.0.1", server.port, USER, "", is_tls=False, is_plain=False, token=token
        )
        assert (await transport.greet() or MailFailure("")).reason.startswith("the server said 535")
        server.access_tokens = ["access-1"]
        clock.advance(3600)
        assert [await transport.greet() for _ in range(2)] == [None, None]
        assert (server.signed_in, len(endpoint.requests)) == (2, 2)
        clock.advance(3600)
        endpoint.is_away = True
        away = await transport.greet()
        assert away == MailFailure("login.example.com gave no access token: nobody answers")


async def test_a_worker_speaks_tls_from_the_first_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = certificate_for_loopback(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with running_mail_server(certificate, is_tls=True) as server:
        transport = AiosmtplibMailTransport("127.0.0.1", server.port, "", "", is_tls=True, is_plain=False)
        assert await transport.greet() is None


async def test_nothing_is_sent_to_a_server_that_offers_no_starttls(post_room: PostRoom) -> None:
    """Whoever sits between could have taken the offer away."""
    transport = AiosmtplibMailTransport("127.0.0.1", post_room.server.port, "", "", is_tls=False, is_plain=False)
    await post_room.put()
    await post_room.delivery_by(transport).deliver()
    assert post_room.server.mails == []
    assert "STARTTLS" in (await post_room.state()).last_error
