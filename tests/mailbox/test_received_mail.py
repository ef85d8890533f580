"""What a mail's writer wrote in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.mailbox.received_mail import NotAnswered, ReceivedMail, received_mail

ANN = "From: Ann <ann@example.com>\nSubject: My lamp\nMessage-ID: <1@mua.example>\n"
REPLY = f"{ANN}In-Reply-To: <0@lamps.example>\n"


async def no_html(html: bytes) -> str:
    return html.decode()


async def read(text: str | bytes) -> ReceivedMail:
    raw = text if isinstance(text, bytes) else text.encode()
    mail = await received_mail(raw, "help@lamps.example", no_html)
    assert isinstance(mail, ReceivedMail), mail
    return mail


@pytest.mark.parametrize(
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


async def test_other_encodings_are_read_and_unknown_ones_are_left() -> None:
    latin = f"{REPLY}Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nGrößer?"
    assert (await read(latin.encode("latin-1"))).question == "Größer?"
    odd = f"{ANN}Content-Type: text/plain; charset=klingon\nContent-Transfer-Encoding: base64\n\nR3I/"
    assert isinstance(await received_mail(odd.encode(), "help@lamps.example", no_html), NotAnswered)


@given(st.binary(max_size=300), st.sampled_from([b"", ANN.encode(), REPLY.encode() + b"Content-Type: multipart/mixed"]))
async def test_nothing_that_a_mail_contains_is_raised(rest: bytes, head: bytes) -> None:
    mail = await received_mail(head + rest, "help@lamps.example", no_html)
    assert isinstance(mail, ReceivedMail | NotAnswered)
