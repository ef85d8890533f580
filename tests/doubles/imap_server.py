"""A mailbox on this machine that speaks as much IMAP as the standard library's client needs to read one."""

import re
import ssl
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Final

USER: Final = "help@lamps.example"
PASSWORD: Final = "correct horse battery staple"


@dataclass
class ImapServer:
    """`mails` are messages by UID, `flags` what was stored of them; `access_tokens` open it by XOAUTH2. Commands are
    kept without their arguments. `chatter` is said over and over, until the client hangs up, in the place of what is in
    a folder."""

    port: int = 0
    uid_validity: int = 7
    next_uid: int = 1
    mails: dict[int, bytes] = field(default_factory=dict)
    flags: dict[int, set[str]] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    oversized: bool = False
    access_tokens: list[str] = field(default_factory=list)
    chatter: bytes = b""

    def receive(self, message: bytes | str) -> int:
        uid = self.next_uid
        self.mails[uid] = message.encode() if isinstance(message, str) else message
        self.flags[uid] = set()
        self.next_uid += 1
        return uid


class _Session(StreamRequestHandler):
    server: "_Server"

    def handle(self) -> None:
        if self.server.is_tls:
            self._secure()
        self._say("* OK here")
        while line := self.rfile.readline():
            tag, _, command = line.decode().strip().partition(" ")
            name = command.upper().removeprefix("UID ").split(" ")[0]
            self.server.box.commands.append(name)
            done = getattr(self, f"_{name.lower()}", self._unknown)(command)
            self._say(f"{tag} {done}")
            if name == "STARTTLS":
                self._secure()
            if name == "LOGOUT":
                return

    def finish(self) -> None:
        super().finish()
        self.connection.close()

    def _secure(self) -> None:
        assert self.server.context is not None
        self.connection = self.server.context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def _unknown(self, command: str) -> str:
        return "BAD unknown"

    def _capability(self, command: str) -> str:
        self._say(f"* CAPABILITY IMAP4rev1{' STARTTLS' if self.server.context else ''}")
        return "OK done"

    def _starttls(self, command: str) -> str:
        return "OK begin"

    def _login(self, command: str) -> str:
        return "OK signed in" if f'"{PASSWORD}"' in command and USER in command else "NO wrong name or password"

    def _authenticate(self, command: str) -> str:
        """https://developers.google.com/workspace/gmail/imap/xoauth2-protocol"""
        if command != "AUTHENTICATE XOAUTH2":
            return "NO unsupported"
        self._say("+ ")
        user, bearer, *rest = b64decode(self.rfile.readline()).decode().split("\x01")
        if (
            user == f"user={USER}"
            and rest == ["", ""]
            and bearer.removeprefix("auth=Bearer ") in self.server.box.access_tokens
        ):
            return "OK signed in"
        self._say("+ eyJzdGF0dXMiOiI0MDAiLCJzY2hlbWVzIjoiQmVhcmVyIn0=")
        return "NO AUTHENTICATE failed." if self.rfile.readline() == b"\r\n" else "BAD"

    def _select(self, command: str) -> str:
        if '"INBOX"' not in command:
            return "NO no such folder"
        while self.server.box.chatter:
            self.wfile.write(self.server.box.chatter)
        self._say(f"* {len(self.server.box.mails)} EXISTS")
        self._say(f"* OK [UIDVALIDITY {self.server.box.uid_validity}] as ever")
        self._say(f"* OK [UIDNEXT {self.server.box.next_uid}] next")
        return "OK selected"

    _examine = _select

    def _search(self, command: str) -> str:
        found = re.search(r"UID (\d+):\*", command)
        assert found
        box = self.server.box
        latest = max(box.mails, default=0)  # "n:*" is a range in either order (RFC 9051, 6.4.4)
        first = min(int(found[1]), latest)
        uids = [uid for uid in box.mails if uid >= first and r"\Seen" not in box.flags[uid]]
        self._say(f"* SEARCH {' '.join(map(str, uids))}")
        return "OK searched"

    def _fetch(self, command: str) -> str:
        found = re.search(r"UID FETCH (\d+) \(BODY\.PEEK\[\]<0\.(\d+)>\)", command)
        assert found
        box, uid = self.server.box, int(found[1])
        body = box.mails[uid] if box.oversized else box.mails[uid][: int(found[2])]
        self.wfile.write(f"* 1 FETCH (UID {uid} BODY[]<0> {{{len(body)}}}\r\n".encode() + body + b")\r\n")
        return "OK fetched"

    def _store(self, command: str) -> str:
        found = re.search(r"UID STORE ([\d,]+) \+FLAGS\.SILENT \((.*)\)", command)
        assert found
        for uid in map(int, found[1].split(",")):
            self.server.box.flags[uid] |= set(found[2].split())
        return "OK stored"

    def _logout(self, command: str) -> str:
        self._say("* BYE")
        return "OK bye"


class _Server(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, box: ImapServer, context: ssl.SSLContext | None, *, is_tls: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.box, self.context, self.is_tls = box, context, is_tls

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, such as over a certificate, is no error of the server."""


@contextmanager
def running_imap_server(certificate: Path | None = None, *, is_tls: bool = False) -> Iterator[ImapServer]:
    """With a `certificate` (PEM, with its key) it offers STARTTLS, or speaks TLS from the first byte on."""
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    box = ImapServer()
    with _Server(box, context, is_tls=is_tls) as server:
        box.port = server.server_address[1]
        thread = Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
        thread.start()
        try:
            yield box
        finally:
            server.shutdown()
            thread.join()
