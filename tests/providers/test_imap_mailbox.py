"""A mailbox is read over TLS, whose certificate is checked, and one that misbehaves is left."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from socket import create_server

import pytest

from app.providers import imap_mailbox
from app.providers.imap_mailbox import MAX_MAILS, ImapMailboxes, MailboxAccess, MailboxUnread
from tests.doubles import imap_server
from tests.doubles.imap_server import PASSWORD, USER, ImapServer, running_imap_server
from tests.doubles.mail_server import certificate_for_loopback
from tests.every_row import every_row


@contextmanager
def served(folder: Path, port_of: str, monkeypatch: pytest.MonkeyPatch, *, is_tls: bool) -> Iterator[ImapServer]:
    """On a free port in the place of the well-known one."""
    with running_imap_server(certificate_for_loopback(folder), is_tls=is_tls) as server:
        monkeypatch.setattr(imap_mailbox, port_of, server.port)
        yield server


def reader(server: ImapServer) -> tuple[ImapMailboxes, MailboxAccess]:
    access = MailboxAccess("127.0.0.1", server.port, USER, PASSWORD)
    return ImapMailboxes([("127.0.0.1", server.port)]), access


@pytest.mark.parametrize(("port_of", "is_tls"), [("IMAPS_PORT", True), ("IMAP_PORT", False)], ids=["TLS", "STARTTLS"])
async def test_it_is_read_over_tls_and_only_with_a_certificate_that_is_trusted(
    port_of: str, is_tls: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path, port_of, monkeypatch, is_tls=is_tls) as server:
        boxes, access = reader(server)
        with pytest.raises(MailboxUnread, match="certificate verify failed"):
            await boxes.unseen(access, None)
        assert "LOGIN" not in server.commands
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "mail-server.pem"))
        server.receive("Subject: one\n\n")
        assert (await boxes.unseen(access, (7, 0))).mails == [(1, b"Subject: one\n\n")]


async def test_a_password_is_not_sent_to_a_server_without_starttls(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_imap_server() as server:
        monkeypatch.setattr(imap_mailbox, "IMAP_PORT", server.port)
        boxes, access = reader(server)
        with pytest.raises(MailboxUnread, match="TLS not supported"):
            await boxes.unseen(access, None)
        assert "LOGIN" not in server.commands


async def test_the_first_unseen_ones_behind_the_last_are_read_and_marked_when_answered() -> None:
    with running_imap_server() as server:
        boxes, access = reader(server)
        for number in range(MAX_MAILS + 3):
            server.receive(f"Subject: {number}\n\n")
        server.flags[3].add(r"\Seen")
        found = await boxes.unseen(access, (7, 1))
        assert [uid for uid, _ in found.mails] == [2, *range(4, MAX_MAILS + 3)]
        await boxes.mark_answered(access, 7, [2, 4])
        assert [uid for uid, _ in (await boxes.unseen(access, (7, 1))).mails][:1] == [5]
        assert (await boxes.unseen(access, (7, MAX_MAILS + 3))).mails == [], "n:* names the last one as well"
        assert (await boxes.unseen(access, (6, 1))).mails == (), "of a mailbox that was made anew"


@every_row("host", ["127.0.0.1", "10.0.0.1", "localhost", "[::1]", "169.254.169.254"])
async def test_the_own_network_is_not_dialled(host: str) -> None:
    with pytest.raises(MailboxUnread):
        await ImapMailboxes().unseen(MailboxAccess(host, 993, USER, PASSWORD), None)


async def test_a_server_that_says_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imap_mailbox, "_BUDGET_SECONDS", 0.2)
    with create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        boxes, access = ImapMailboxes([("127.0.0.1", port)]), MailboxAccess("127.0.0.1", port, USER, PASSWORD)
        with pytest.raises(MailboxUnread, match="took longer"):
            await boxes.unseen(access, None)


async def test_nothing_is_marked_once_numbers_were_given_out_anew() -> None:
    with running_imap_server() as server:
        boxes, access = reader(server)
        server.receive("Subject: one\n\n")
        server.uid_validity += 1
        await boxes.mark_answered(access, 7, [1])
        assert server.flags[1] == set()


@every_row("number", [-1, 0, 2**32, 10**30])
async def test_numbers_that_imap_does_not_have_are_refused(number: int) -> None:
    with running_imap_server() as server:
        boxes, access = reader(server)
        server.uid_validity = number
        with pytest.raises(MailboxUnread, match="UIDVALIDITY"):
            await boxes.unseen(access, None)
        server.uid_validity, server.mails[number], server.flags[number] = 7, b"Subject: one\n\n", set()
        assert (await boxes.unseen(access, (7, 0))).mails == []


async def test_a_server_that_never_stops_talking_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imap_mailbox, "_MAX_BYTES", 100_000)
    with running_imap_server() as server:
        boxes, access = reader(server)
        server.chatter = b"* OK " + b"x" * 1000 + b"\r\n"
        with pytest.raises(MailboxUnread, match="more than 100000 bytes"):
            await boxes.unseen(access, None)


async def test_a_server_that_hangs_up_at_the_end_has_been_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang_up(self: object, command: str) -> str:
        raise ConnectionError

    monkeypatch.setattr(imap_server._Session, "_logout", hang_up)
    with running_imap_server() as server:
        boxes, access = reader(server)
        server.receive("Subject: one\n\n")
        assert (await boxes.unseen(access, (7, 0))).mails == [(1, b"Subject: one\n\n")]
        await boxes.mark_answered(access, 7, [1])
        assert server.flags[1] == {r"\Seen", r"\Answered"}


async def test_a_list_of_mails_that_makes_no_sense_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    def literal(self: imap_server._Session, command: str) -> str:
        self._say("* SEARCH {1}\r\n1")
        return "OK searched"

    monkeypatch.setattr(imap_server._Session, "_search", literal)
    with running_imap_server() as server:
        boxes, access = reader(server)
        assert (await boxes.unseen(access, (7, 0))).mails == []


async def test_a_mail_that_the_server_cannot_read_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    fetch, broken = imap_server._Session._fetch, {1}

    def some(self: imap_server._Session, command: str) -> str:
        return "NO message is damaged" if int(command.split()[2]) in broken else fetch(self, command)

    monkeypatch.setattr(imap_server._Session, "_fetch", some)
    with running_imap_server() as server:
        boxes, access = reader(server)
        for number in range(2):
            server.receive(f"Subject: {number}\n\n")
        assert (await boxes.unseen(access, (7, 0))).mails == [(1, b""), (2, b"Subject: 1\n\n")]
        broken.add(2)
        with pytest.raises(MailboxUnread, match="damaged"):
            await boxes.unseen(access, (7, 0))


@pytest.mark.parametrize("name", ["help desk", r"LAMPS\help", 'the "help" desk'])
async def test_names_and_passwords_may_have_any_signs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = name.replace("\\", r"\\").replace('"', r"\"")
    commands: list[str] = []

    def listening(self: object, command: str) -> str:
        commands.append(command)
        return "OK signed in"

    monkeypatch.setattr(imap_server._Session, "_login", listening)
    with running_imap_server() as server:
        boxes, access = reader(server)
        await boxes.unseen(replace(access, user=name, password=name), None)
    assert commands == [f'LOGIN "{written}" "{written}"']
