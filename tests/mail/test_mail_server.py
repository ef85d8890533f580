"""The mail server and the sender, as settings write them."""

import pytest

from app.mail.mail import SmtpServer, sender_of, smtp_server
from tests.every_row import every_row


@every_row(
    ("url", "server"),
    [
        ("smtps://mail.example.com", SmtpServer("mail.example.com", 465, is_tls=True)),
        ("smtp://mail.example.com", SmtpServer("mail.example.com", 587)),
        (
            "smtp://ann%40example.com:a%2Fb%20c@mail.example.com:2525",
            SmtpServer("mail.example.com", 2525, "ann@example.com", "a/b c"),
        ),
        ("smtp://10.0.0.5:25?tls=off", SmtpServer("10.0.0.5", 25, is_plain=True)),
        ("smtp://me:secret@127.0.0.1:25?tls=off", SmtpServer("127.0.0.1", 25, "me", "secret", is_plain=True)),
    ],
)
def test_an_address_says_how_the_server_is_spoken_to(url: str, server: SmtpServer) -> None:
    assert smtp_server(url) == server


def test_none_is_no_mail() -> None:
    assert smtp_server("") is None


@every_row(
    "url",
    [
        "mail.example.com",
        "http://mail.example.com",
        "smtp://",
        "smtp://h/path",
        "smtp://h?tls=on",
        "smtps://h?tls=off",
        "smtp://h?x=1",
        "smtp://h:99999",
    ],
)
def test_another_spelling_is_refused(url: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - pydantic wants no other
        smtp_server(url)


def test_a_password_crosses_no_network_in_plain_text() -> None:
    with pytest.raises(ValueError, match="without TLS the password"):
        smtp_server("smtp://me:secret@10.0.0.5?tls=off")


def test_a_password_is_not_shown() -> None:
    assert "secret" not in repr(smtp_server("smtp://me:secret@mail.example.com"))


@pytest.mark.parametrize(
    "written", ["docent@example.com", "Docent <docent@example.com>", "Ünsere Hilfe <d@example.com>"]
)
def test_a_sender_has_an_address_and_may_have_a_name(written: str) -> None:
    assert str(sender_of(written)) == written


@every_row("written", ["", "Docent", "a@b.c, d@e.f", "<>", "a@b.c\nBcc: d@e.f", "a@b.c and more"])
def test_anything_else_is_no_sender(written: str) -> None:
    with pytest.raises(ValueError, match="one address"):
        sender_of(written)
