"""What a mail says, and that nobody's words become a header or a tag."""

import re
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import InvalidInput
from app.core.text.untrusted_text import MAX_LINE_CHARS
from app.mail.mail import Mail, MailLink, checked_mail_address, message_of
from tests.every_row import every_row

ID = UUID(int=7)
SENDER = Address("Docent", "docent", "example.com")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
INVITATION = Mail(
    to="ann@example.com",
    subject="You are invited",
    paragraphs=("Bo wants you at the console.", "The link holds for a day."),
    link=MailLink("Choose a password", "https://docent.example.com/console/invitation?a=1&b=2"),
    footer="You get this because Bo gave your address.",
    settings_url="https://docent.example.com/console/notices",
    reply_to="bo@example.com",
)


def arrived(mail: Mail) -> EmailMessage:
    """As a mail program reads what was sent."""
    parsed = BytesParser(policy=default).parsebytes(message_of(mail, ID, SENDER, NOON).as_bytes())
    assert isinstance(parsed, EmailMessage)
    return parsed


def part(mail: Mail, subtype: str) -> str:
    found = arrived(mail).get_body((subtype,))
    assert found is not None
    return str(found.get_content()).replace("\r\n", "\n")


def test_a_mail_has_plain_text_and_simple_html_that_say_the_same() -> None:
    assert part(INVITATION, "plain") == (
        "Bo wants you at the console.\n\nThe link holds for a day.\n\n"
        "Choose a password:\nhttps://docent.example.com/console/invitation?a=1&b=2\n\n"
        "-- \nYou get this because Bo gave your address.\nhttps://docent.example.com/console/notices\n"
    )
    html = part(INVITATION, "html")
    assert '<p dir="auto">Bo wants you at the console.</p>' in html
    assert 'href="https://docent.example.com/console/invitation?a=1&amp;b=2">Choose a password</a>' in html


def test_markdown_is_plain_text_in_one_part_and_markup_in_the_other() -> None:
    answer = "It costs **7 euros** [1]:\n\n- 2*3 lamps\n- [more](https://a.example) <b>"
    mail = replace(INVITATION, markdown=answer, paragraphs=("[1] *Prices*",), link=None)
    text = "It costs 7 euros [1]:\n\n- 2*3 lamps\n- more (https://a.example) <b>\n\n[1] *Prices*\n\n-- \n"
    assert part(mail, "plain").startswith(text)
    html = part(mail, "html")
    for markup in ("<strong>7 euros</strong> [1]", "<li>2*3 lamps</li>", ">more</a> &lt;b&gt;", ">[1] *Prices*</p>"):
        assert markup in html


def test_web_addresses_are_links_and_a_question_is_a_quotation_in_the_html() -> None:
    text = "> Why <b>?\nAda: see (https://a.example/x?a=1&b=2).\n[1] Prices https://a.example/"
    html = part(replace(INVITATION, paragraphs=(text,)), "html")
    for markup in (
        ">Why &lt;b&gt;?</blockquote><p",
        'see (<a href="https://a.example/x?a=1&amp;b=2">https://a.example/x?a=1&amp;b=2</a>).<br>',
        'Prices <a href="https://a.example/">https://a.example/</a></p>',
    ):
        assert markup in html


def test_the_html_leaves_text_and_ground_to_the_readers_scheme() -> None:
    html = part(replace(INVITATION, markdown="| a | b |\n|---|---|\n| 1 | 2 |"), "html")
    assert '<meta name="color-scheme" content="light dark">' in html
    assert re.findall(r"(?<!-)color:[^;\"]+", html) == ["color:#ffffff"], "of the button alone"


def test_a_quotation_is_marked_on_the_side_where_its_reading_begins() -> None:
    html = part(replace(INVITATION, markdown="> مقتبس", paragraphs=("> كيف؟\nهكذا.",)), "html")
    assert html.count("<blockquote") == 2
    assert re.findall("left|right", html) == []


def test_pictures_are_attached() -> None:
    mail = replace(INVITATION, pictures=(b64encode(b"one").decode(), b64encode(b"two").decode()))
    assert [
        (each.get_filename(), each.get_content_type(), each.get_content()) for each in arrived(mail).iter_attachments()
    ] == [("picture-1.webp", "image/webp", b"one"), ("picture-2.webp", "image/webp", b"two")]


def test_its_headers_say_who_to_whom_and_how_not_to_get_it() -> None:
    headers = dict(arrived(INVITATION).items())
    assert headers["From"] == "Docent <docent@example.com>"
    assert headers["To"] == "ann@example.com"
    assert headers["Reply-To"] == "bo@example.com"
    assert headers["Message-ID"] == f"<{ID}@example.com>"
    assert headers["List-Unsubscribe"] == "<https://docent.example.com/console/notices>"
    assert headers["Auto-Submitted"] == "auto-generated"
    assert headers["Date"] == "Thu, 01 Jan 2026 12:00:00 +0000"


def test_the_same_mail_is_the_same_message_but_for_its_borders() -> None:
    first, second = arrived(INVITATION), arrived(INVITATION)
    assert first["Message-ID"] == second["Message-ID"]
    assert first["Date"] == second["Date"]


@every_row("end", ["\r\n", "\n", "\r", "\u2028", "\x00", "\x85"])
def test_a_subject_becomes_no_further_header(end: str) -> None:
    message = arrived(Mail("ann@example.com", f"Hello{end}Bcc: all@example.com", ("x",)))
    assert message["Bcc"] is None
    assert message["Subject"] == "Hello Bcc: all@example.com"


def test_a_long_subject_is_cut() -> None:
    subject = arrived(Mail("ann@example.com", "ä" * 500, ("x",)))["Subject"]
    assert subject == "ä" * (MAX_LINE_CHARS - 1) + "…"


def test_words_become_no_tags() -> None:
    html = part(Mail("ann@example.com", "Hi", ("<script>1</script>\n&",), MailLink("<b>", 'https://x/"><i>')), "html")
    assert ">&lt;script&gt;1&lt;/script&gt;<br>\n&amp;</p>" in html
    assert "<a style" in html
    assert 'href="https://x/&quot;&gt;&lt;i&gt;">&lt;b&gt;</a>' in html


def test_a_line_that_is_one_dot_or_long_or_of_another_script_arrives_whole() -> None:
    words = (".", "word " * 500, "Ποιος; 你好 👋")
    assert part(Mail("ann@example.com", "Hi", words), "plain") == "\n\n".join(words) + "\n"


@every_row(
    ("address", "written"),
    [
        ("ann@example.com", "ann@example.com"),
        (" ann+x@example.com ", "ann+x@example.com"),
        ("s.o'brien_1@mail.example", "s.o'brien_1@mail.example"),
        ("ann@münchen.example", "ann@xn--mnchen-3ya.example"),
        ("root@localhost", "root@localhost"),
    ],
)
def test_an_address_that_can_be_written_to_is_taken(address: str, written: str) -> None:
    assert checked_mail_address("email", address) == address.strip()
    assert str(arrived(Mail(checked_mail_address("email", address), "Hi", ("x",)))["To"]) == written


_PARTS = st.text("aé1.-_@?=!#$%&'*+/^`{|}~[]() ", max_size=12)


@given(_PARTS, _PARTS)
def test_what_is_taken_for_an_address_can_be_written_into_a_message(local_part: str, domain: str) -> None:
    try:
        address = checked_mail_address("email", f"{local_part}@{domain}")
    except InvalidInput:
        return
    message = arrived(Mail(address, "Hi", ("x",), sender=address, reply_to=address))
    assert [len(message[name].addresses) for name in ("From", "To", "Reply-To")] == [1, 1, 1]


@every_row(
    "address",
    [
        "",
        "ann",
        "@example.com",
        "ann@",
        "a@b@c",
        "ann@example.com\nBcc: x@y.z",
        "Ann <a@b.c>",
        "a@b.c, d@e.f",
        "a" * 250 + "@b.c",
        "a" * 65 + "@b.c",
        "a..b@example.com",
        ".a@example.com",
        "a.@example.com",
        "ä@example.com",
        "=?utf-8?q?x?=@example.com",
        "a@example..com",
        "a@example.com.",
        "a@[10.0.0.1]",
        "a@" + "b" * 64,
    ],
)
def test_what_is_none_is_refused_by_its_field(address: str) -> None:
    with pytest.raises(InvalidInput, match="email"):
        checked_mail_address("email", address)
