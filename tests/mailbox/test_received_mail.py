"""What a mail's writer wrote in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.mailbox.received_mail import NotAnswered, ReceivedMail, _written, opened_mail, received_mail
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

ANN = "From: Ann <ann@example.com>\nSubject: My lamp\nMessage-ID: <1@mua.example>\n"
REPLY = f"{ANN}In-Reply-To: <0@lamps.example>\n"


async def no_html(html: bytes) -> str:
    return html.decode()


async def received(text: str | bytes) -> ReceivedMail | NotAnswered:
    opened = opened_mail(text if isinstance(text, bytes) else text.encode(), "help@lamps.example")
    return opened if isinstance(opened, NotAnswered) else await received_mail(opened, no_html)


async def read(text: str | bytes) -> ReceivedMail:
    mail = await received(text)
    assert isinstance(mail, ReceivedMail), mail
    return mail


@every_row(
    "below",
    [
        "",
        "\n-- \nAnn Lee\n+47 123",
        "\n\nOn Mon, 2 Mar 2026 at 10:00, Lamp helper\n<help@lamps.example> wrote:\n\n> 30 days.\n> And more.",
        "\n\nAm Montag schrieb Lamp helper:\n> 30 Tage.\n",
        "\n\n-----Original Message-----\nFrom: Lamp helper\nSent: Monday\nTo: Ann\nSubject: Re: My lamp\n\n30 days.",
        "\n\n________________________________\nVon: Lamp helper <help@lamps.example>\nGesendet: Montag\n\n30 Tage.",
        "\n\nVon: Lamp helper\nGesendet: Montag\nAn: Ann\nBetreff: Re: My lamp\n\n30 Tage.",
        "\n\n*From:* Lamp helper\n*Sent:* Monday\n*To:* Ann\n\n30 days.",
    ],
    ids=["nothing", "signature", "over two lines", "German", "Outlook", "a rule", "a head", "a head in bold"],
)
async def test_what_mail_programs_put_below_is_left_out(below: str) -> None:
    assert (await read(f"{REPLY}\nAnd without a receipt?{below}")).question == "And without a receipt?"


async def test_answers_between_quotations_are_kept_together() -> None:
    mail = await read(f"{REPLY}\nSee below.\n\nAnn wrote:\n> Which lamp?\nThe red one.\n> Since when?\nMay.")
    assert mail.question.split() == ["See", "below.", "The", "red", "one.", "May."]


async def test_a_first_mail_loses_no_line_that_looks_like_a_head() -> None:
    form = "Name: Ann\nE-mail: ann@example.com\nOrder: 123\n\nWhere is it?"
    assert (await read(f"{ANN}\n{form}")).question == f"My lamp\n\n{form}"


@pytest.mark.parametrize(
    ("body", "question"), [("", "My lamp"), ("Is my lamp still under warranty?", "Is my lamp still under warranty?")]
)
async def test_the_subject_belongs_to_a_first_question_that_does_not_repeat_it(body: str, question: str) -> None:
    assert (await read(f"{ANN}\n{body}")).question == question


async def test_who_is_answered_and_in_which_thread() -> None:
    mail = await read(f"{ANN}Reply-To: Bo <BO@example.com>\nReferences: <a@x> <b@y>\nIn-Reply-To: <b@y>\n\nHi")
    assert mail.address == "bo@example.com"
    assert mail.thread == ("b@y", "a@x")
    assert mail.reference_ids == "<a@x> <b@y> <1@mua.example>"


async def test_attachments_are_counted() -> None:
    parts = "--b\n\nWhat is wrong with it?\n--b\nContent-Disposition: attachment; filename=lamp.jpg\n\nx\n--b--\n"
    mail = await read(f"{ANN}Content-Type: multipart/mixed; boundary=b\n\n{parts}")
    assert (mail.question, mail.attachments) == ("My lamp\n\nWhat is wrong with it?", 1)


@every_row(
    ("charset", "text", "encoding"),
    [
        ("; charset=iso-8859-1", "Größer?", "latin-1"),
        ("; charset=iso-8859-8-i", "כמה זה עולה?", "iso-8859-8"),
        ("; charset=windows-874", "ราคาเท่าไหร่", "cp874"),
        ("; charset=x-sjis", "送料はいくらですか", "cp932"),
        ("; charset=klingon", "Größer?", "utf-8"),
        ("", "Größer?", "utf-8"),
        ("", "Größer?", "latin-1"),
    ],
)
@every_row("kind", ["plain", "html"])
async def test_every_encoding_is_read_also_where_none_or_a_wrong_one_is_named(
    kind: str, charset: str, text: str, encoding: str
) -> None:
    head = f"{REPLY}Content-Type: text/{kind}{charset}\nContent-Transfer-Encoding: 8bit\n\n"
    assert (await read(head.encode() + text.encode(encoding))).question == text


async def test_the_charset_that_html_names_itself_is_believed() -> None:
    head = f"{REPLY}Content-Type: text/html\nContent-Transfer-Encoding: 8bit\n\n<meta charset=windows-1251>"
    assert "Сколько?" in (await read(head.encode() + "Сколько?".encode("cp1251"))).question


def of_parts(subtype: str, *parts: str) -> str:
    return f"{REPLY}Content-Type: multipart/{subtype}; boundary=b\n\n--b\n" + "\n--b\n".join(parts) + "\n--b--\n"


async def test_texts_around_a_picture_are_read_together_and_files_are_not() -> None:
    picture = "Content-Type: image/png\nContent-Disposition: inline\n\nx"
    file = "Content-Type: text/plain; name=log.txt\n\nSecret log"
    mail = await read(of_parts("mixed", "\nThis is what I see:", picture, "\nHow do I mend it?", file))
    assert mail.question == "This is what I see:\nHow do I mend it?"
    assert mail.attachments == 2


async def test_a_text_that_is_the_whole_mail_may_have_a_name() -> None:
    assert (await read(f"{REPLY}Content-Type: text/plain; name=body.txt\n\nIs it blue?")).question == "Is it blue?"


async def test_where_the_plain_text_is_empty_the_html_is_read() -> None:
    mail = await read(
        of_parts("alternative", "Content-Type: text/plain\n\n ", "Content-Type: text/html\n\nIs it blue?")
    )
    assert (mail.question, mail.attachments) == ("Is it blue?", 0)


async def test_a_name_with_a_comma_is_no_second_writer() -> None:
    assert (await read("From: Lee, Ann <ann@example.com>\nSubject: Hi\n\nHi")).address == "ann@example.com"
    assert isinstance(await received("From: ann@example.com, bo@example.com\n\nHi"), NotAnswered)


@given(st.binary(max_size=300), st.sampled_from([b"", ANN.encode(), REPLY.encode() + b"Content-Type: multipart/mixed"]))
async def test_nothing_that_a_mail_contains_is_raised(rest: bytes, head: bytes) -> None:
    assert isinstance(await received(head + rest), ReceivedMail | NotAnswered)


def nested(subtype: str) -> str:
    kind = f"Content-Type: multipart/{subtype}; boundary=b"
    return f"{ANN}{kind}0\n\n" + "".join(f"--b{depth}\n{kind}{depth + 1}\n\n" for depth in range(2000))


@every_row(
    "hostile",
    [
        f"From: {'(' * 3000}a@b.c\n\nHi",
        "From: a@b.c\nMessage-ID: <a@[\n\nHi",
        nested("mixed"),
        nested("related"),
        f"{ANN}Content-Type: message/rfc822\n\n" + "Content-Type: message/rfc822\n\n" * 2000,
    ],
    ids=["comments in comments", "half an id", "parts in parts", "related ones", "mails in mails"],
)
async def test_what_the_parser_stumbles_over_is_not_raised(hostile: str) -> None:
    assert isinstance(await received(hostile), ReceivedMail | NotAnswered)


@pytest.mark.parametrize("charset", ["unicode_escape", "utf-7", "utf-16"])
async def test_what_is_read_can_be_stored_whatever_its_charset(charset: str) -> None:
    head = f"{REPLY}Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
    mail = await read(head.encode() + b"Hi \\ud800 +2AA- \x00\xd8")
    assert mail.question.encode()


async def test_a_mail_names_no_more_than_so_many_before_it() -> None:
    ids = " ".join(f"<{number}@x>" for number in range(40_000))
    mail = await read(f"{ANN}References: {ids}\n\nHi")
    assert mail.thread[0] == "39999@x"
    assert len(mail.thread) == 19
    assert len(mail.reference_ids.split()) == 20


@pytest.mark.parametrize("unit", ["-", "_", "> ", "a: b\n", ":\n\n>"])
def test_the_time_to_find_what_was_written_grows_with_the_mail_and_not_faster(unit: str) -> None:
    assert takes_linear_time(lambda text: _written(f"{text}x", is_reply=True), unit, 5000)
