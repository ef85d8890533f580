"""A mail server on this machine that keeps what it is handed: a real one, by aiosmtpd."""

import ssl
from asyncio import Server
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

USER, PASSWORD = "docent", "correct horse: battery/staple@home"


@dataclass
class MailServer:
    """`refuses` are replies by recipient, such as "550 5.1.1 no such user"; `mails` is what was taken, in order."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str, list[str]]] = field(default_factory=list)
    refuses: dict[str, str] = field(default_factory=dict)
    refuses_data: str = ""
    signed_in: int = 0
    access_tokens: list[str] = field(default_factory=list)

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        if address in self.refuses:
            return self.refuses[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if self.refuses_data:
            return self.refuses_data
        message = BytesParser(policy=default).parsebytes(envelope.content)
        assert isinstance(message, EmailMessage)
        self.mails.append(message)
        self.envelopes.append((envelope.mail_from, list(envelope.rcpt_tos)))
        return "250 taken"

    async def auth_XOAUTH2(self, server: Any, args: list[str]) -> AuthResult:  # noqa: N802
        """https://developers.google.com/workspace/gmail/imap/xoauth2-protocol"""
        user, bearer, *_ = b64decode(args[1]).decode().split("\x01")
        is_known = user == f"user={USER}" and bearer.removeprefix("auth=Bearer ") in self.access_tokens
        self.signed_in += is_known
        return AuthResult(success=is_known, handled=False)

    def authenticate(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        is_known = isinstance(data, LoginPassword) and (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        self.signed_in += is_known
        return AuthResult(success=is_known, handled=False)


class _OnAnyPort(Controller):
    def _trigger_server(self) -> None:
        assert isinstance(self.server, Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@contextmanager
def running_mail_server(
    certificate: Path | None = None, *, is_tls: bool = False, wants_password: bool = False
) -> Iterator[MailServer]:
    """With a `certificate` (PEM, with its key) it offers STARTTLS, or speaks TLS from the first byte on."""
    server = MailServer()
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    controller = _OnAnyPort(
        server,
        hostname="127.0.0.1",
        port=0,
        ssl_context=context if is_tls else None,
        tls_context=None if is_tls else context,
        auth_required=wants_password,
        auth_require_tls=certificate is not None and not is_tls,
        authenticator=server.authenticate if wants_password else None,
    )
    controller.start()
    try:
        server.port = controller.port
        yield server
    finally:
        controller.stop()


def certificate_for_loopback(folder: Path) -> Path:
    """A PEM file with a key and a certificate that it has signed itself, for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "mail-server.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path
