"""Reads a mailbox by IMAP (RFC 9051), with TLS, and never at a private address."""

import imaplib
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
import httpcore

from crawler.address_policy import AddressPolicy, Endpoint, parse_address
from crawler.errors import CrawlError
from crawler.fetch.guarded_dialler import GuardedDialler

MAX_MAILS: Final = 10  # at once
MAX_MAIL_BYTES: Final = 512 * 1024  # per mail; the rest, mostly attachments, is not read
_MAX_BYTES: Final = (MAX_MAILS + 2) * MAX_MAIL_BYTES  # per connection
_MAX_NUMBER: Final = 2**32 - 1  # RFC 9051, 9: nz-number
IMAPS_PORT, IMAP_PORT = 993, 143
_STEP_SECONDS: Final = 20.0
_BUDGET_SECONDS: Final = 60.0  # for all steps
_MAX_REASON_CHARS: Final = 200

Value = TypeVar("Value")


class MailboxUnread(Exception):
    """The mailbox cannot be read now. `str(error)` is for people."""


@dataclass(frozen=True, slots=True)
class MailboxAccess:
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"
    token: str = field(default="", repr=False)  # an access token, to sign in with instead of the password


@dataclass(frozen=True, slots=True)
class UnseenMails:
    """Unseen mails of a folder. `mails` are UIDs in order, each with the first bytes of its message. UIDs stay valid
    while `uid_validity` is the same; those of future mails begin at `next_uid`."""

    uid_validity: int
    next_uid: int
    mails: Sequence[tuple[int, bytes]] = ()


class ImapMailboxes:
    """`allowed` endpoints (ip, port) may be private, and are read without TLS, except at ports 993 and 143."""

    def __init__(self, allowed: Iterable[Endpoint] = ()) -> None:
        self._policy = AddressPolicy(frozenset(allowed))
        self._dialler = GuardedDialler(self._policy, ports=frozenset((IMAPS_PORT, IMAP_PORT)))

    async def unseen(self, access: MailboxAccess, after: tuple[int, int] | None) -> UnseenMails:
        """Read up to MAX_MAILS unseen mails after `after`, a pair of UIDVALIDITY and UID, and mark nothing. No mails
        without `after`, or if the server has assigned new UIDs since. Raises MailboxUnread."""

        def work(server: imaplib.IMAP4) -> UnseenMails:
            _done(server.select(_quoted(access.folder), readonly=True))
            uid_validity, next_uid = _number(server, "UIDVALIDITY"), _number(server, "UIDNEXT")
            if after is None or after[0] != uid_validity:
                return UnseenMails(uid_validity, next_uid)
            found = _done(server.uid("SEARCH", f"UID {after[1] + 1}:*", "UNSEEN"))[0]
            # It is None, or a literal that makes no sense, from some servers.
            numbers = map(int, found.split()) if isinstance(found, bytes) else ()
            # The range n:* always includes the last mail.
            uids = sorted(uid for uid in numbers if after[1] < uid <= _MAX_NUMBER)
            return UnseenMails(uid_validity, next_uid, _mails(server, uids[:MAX_MAILS]))

        return await self._signed_in(access, work)

    async def mark_answered(self, access: MailboxAccess, uid_validity: int, uids: Sequence[int]) -> None:
        """Mark mails as seen and answered; none if the server has assigned new UIDs since. Raises MailboxUnread."""

        def work(server: imaplib.IMAP4) -> None:
            _done(server.select(_quoted(access.folder)))
            if _number(server, "UIDVALIDITY") != uid_validity:
                return
            _done(server.uid("STORE", ",".join(map(str, uids)), "+FLAGS.SILENT", r"(\Seen \Answered)"))

        await self._signed_in(access, work)

    async def _signed_in(self, access: MailboxAccess, work: Callable[[imaplib.IMAP4], Value]) -> Value:
        opened: list[imaplib.IMAP4] = []

        def run() -> Value:
            server = _Dialled(access, addresses, opened, is_plain=is_plain)
            try:
                if not is_plain and access.port == IMAP_PORT:
                    server.starttls(ssl.create_default_context())
                _sign_in(server, access)
                done = work(server)
                with suppress(imaplib.IMAP4.error, OSError):  # some servers hang up instead of saying goodbye
                    server.logout()
                return done
            finally:
                with suppress(OSError):
                    server.shutdown()

        try:
            addresses, is_plain = await self._checked(access)
            with anyio.fail_after(_BUDGET_SECONDS):
                return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
        except TimeoutError as error:
            raise MailboxUnread(f"{access.host} took longer than {_BUDGET_SECONDS:g} s") from error
        except CrawlError as error:
            raise MailboxUnread(f"{access.host}: {error.reason}") from error
        except httpcore.ConnectError as error:
            raise MailboxUnread(str(error)) from error
        except (imaplib.IMAP4.error, OSError, ValueError) as error:
            raise MailboxUnread(f"{access.host}: {_reason(error)}") from error
        finally:
            for server in opened:
                _interrupt(server)

    async def _checked(self, access: MailboxAccess) -> tuple[list[str], bool]:
        """The addresses to dial, and whether they may be used without TLS."""
        addresses = await self._dialler.checked_addresses(access.host, access.port)
        literal = parse_address(access.host)
        is_allowed = literal is not None and self._policy.allows_literal(literal, access.port)
        return list(map(str, addresses)), is_allowed and access.port not in (IMAPS_PORT, IMAP_PORT)


class _Dialled(imaplib.IMAP4):
    """Connects to the first of the checked addresses that responds, and verifies the host's name by TLS. Adds itself to
    `opened` before it waits for the server, so that it can be interrupted."""

    def __init__(
        self, access: MailboxAccess, addresses: Sequence[str], opened: list[imaplib.IMAP4], *, is_plain: bool
    ) -> None:
        self._addresses = addresses
        self._is_tls = not is_plain and access.port == IMAPS_PORT
        self._received = 0
        opened.append(self)
        super().__init__(access.host, access.port, _STEP_SECONDS)

    def _create_socket(self, timeout: float) -> socket.socket:
        for address in self._addresses[:-1]:
            with suppress(OSError):
                return self._secured(socket.create_connection((address, self.port), timeout))
        return self._secured(socket.create_connection((self._addresses[-1], self.port), timeout))

    def _secured(self, dialled: socket.socket) -> socket.socket:
        return ssl.create_default_context().wrap_socket(dialled, server_hostname=self.host) if self._is_tls else dialled

    def read(self, size: int) -> bytes:
        if size > MAX_MAIL_BYTES:
            raise self.error(f"the server sent {size} bytes at once")
        return self._counted(super().read(size))

    def readline(self) -> bytes:
        return self._counted(super().readline())

    def _counted(self, received: bytes) -> bytes:
        """Limit the bytes received, because the library keeps whatever a server sends, requested or not."""
        self._received += len(received)
        if self._received > _MAX_BYTES:
            raise self.error(f"the server sent more than {_MAX_BYTES} bytes")
        return received


def _sign_in(server: imaplib.IMAP4, access: MailboxAccess) -> None:
    if not access.token:
        server.login(_quoted(access.user), access.password)  # which quotes the password itself
        return
    # https://developers.google.com/workspace/gmail/imap/xoauth2-protocol: a challenge has the reason of a refusal, and
    # wants an empty response.
    response = f"user={access.user}\x01auth=Bearer {access.token}\x01\x01".encode()
    server.authenticate("XOAUTH2", lambda challenge: b"" if challenge else response)


def _interrupt(server: imaplib.IMAP4) -> None:
    """End a thread that still waits for the server."""
    with suppress(OSError, AttributeError):  # not connected any more, or not yet
        server.sock.shutdown(socket.SHUT_RDWR)


def _mails(server: imaplib.IMAP4, uids: Sequence[int]) -> list[tuple[int, bytes]]:
    """The beginnings of mails; b"" for one that was deleted meanwhile, and for one that the server cannot read, if it
    can read another."""
    answers = [(uid, server.uid("FETCH", str(uid), f"(BODY.PEEK[]<0.{MAX_MAIL_BYTES}>)")) for uid in uids]
    if answers and all(status != "OK" for _, (status, _) in answers):
        _done(answers[0][1])
    return [(uid, next((part[1] for part in found if isinstance(part, tuple)), b"")) for uid, (_, found) in answers]


def _done(answer: tuple[str, list[Any]]) -> list[Any]:
    status, data = answer
    if status != "OK":
        raise imaplib.IMAP4.error(data[0] if data else status)
    return data


def _number(server: imaplib.IMAP4, name: str) -> int:
    """A number that the server sent when the folder was selected. Raises ValueError if it is missing or invalid."""
    number = int(server.response(name)[1][-1] or b"")
    if not 0 < number <= _MAX_NUMBER:
        raise ValueError(f"the server sent {name} {number}")
    return number


def _quoted(text: str) -> str:
    r"""As a quoted string (RFC 9051, 4.3), such as the user DOMAIN\ann."""
    return '"{}"'.format(text.replace("\\", r"\\").replace('"', r"\""))


def _reason(error: Exception) -> str:
    text = error.args[0] if error.args else type(error).__name__
    text = text.decode(errors="replace") if isinstance(text, bytes) else str(error) or type(error).__name__
    return text[:_MAX_REASON_CHARS]
