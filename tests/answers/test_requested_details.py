"""What is asked for by words that a page need not say."""

import pytest

from app.core.text.requested_details import (
    has_requested_contacts,
    is_completed,
    lacks_detail,
    requested_details,
    without_details,
)
from tests.every_row import every_row

CONTACT = "Hub Ltd, 214b Canal Street, 3511 NR Utrecht, +353 1 555 0110, hello@hub.example"
WARRANTY = "Every lamp has a warranty of 3 years."


@every_row(
    "question",
    [
        "phone number",
        "What is your phone number?",
        "What's your phone number?",
        "whats ur phone number pls",
        "wheres your shop",
        "Where are your stores?",
        "where are you located",
        "Where are you and what is your phone number?",
        "can I speak to someone",
        "How do I contact you?",
        "contact details",
        "What is your email address?",
        "Wie erreiche ich euch?",
        "Kundenservice",
        "wo seid ihr?",
        "Kann ich mit jemandem sprechen?",
        "puedo hablar con alguien",
    ],
)
def test_nothing_but_how_to_reach_somebody_is_asked(question: str) -> None:
    assert without_details(question) == ""
    assert has_requested_contacts(question, CONTACT)
    assert not has_requested_contacts(question, "Hold its button for ten seconds.")


@every_row(
    "question",
    [
        "What is the phone number of the courier?",
        "Where is the log file located?",
        "Can I speak to someone about a refund?",
        "How do I add a contact?",
        "How do I change my email address?",
        "How much does it cost?",
        "How heavy is it?",
        "Who are you?",
    ],
)
def test_something_else_is_asked_as_well(question: str) -> None:
    assert not has_requested_contacts(question, f"{CONTACT}, 2 kg, EUR 5")


@every_row(
    "question",
    [
        "Why?",
        "how long is it?",
        "And how many years is it?",
        "and how many months is it",
        "Warum?",
        "Wie lange dauert das?",
        "¿Por qué?",
        "Pourquoi ?",
        "Perché?",
    ],
)
def test_only_what_wwording_of_before_names_the_subject(question: str) -> None:
    assert is_completed(question, WARRANTY)


@every_row(
    "question",
    [
        "how much does it cost",
        "How much is it?",
        "Was kostet es?",
        "¿Cuánto cuesta eso?",
        "Hoeveel kost het?",
        "Ile to kosztuje?",
        "does it float?",
        "Is there an app for it?",
        "and how many days is it?",
        "how many kilograms is it?",
        "how many lamps is it?",
    ],
)
def test_a_subject_a_detail_or_a_unit_that_the_text_lacks_is_named(question: str) -> None:
    assert not is_completed(question, f"{WARRANTY} It costs €9.")


@pytest.mark.parametrize("question", ["how much does it cost", "And what's the price of that?", "Was kostet es?"])
def test_a_text_without_a_price_lacks_what_is_asked_for(question: str) -> None:
    assert lacks_detail(question, WARRANTY)
    assert not lacks_detail(question, f"{WARRANTY} It costs €9.")


@pytest.mark.parametrize("question", ["how much rain can it take?", "does it float?", "what does the battery cost?"])
def test_a_question_that_names_something_itself_asks_for_more_than_a_detail(question: str) -> None:
    assert not lacks_detail(question, WARRANTY)


@every_row(
    ("question", "names"),
    [
        ("Quanto custam os serviços e qual é o telefone?", ["price", "phone"]),
        ("Wat zijn de openingstijden?", ["hours"]),
        ("Jakie są godziny otwarcia?", ["hours"]),
        ("Unde vă aflați și care este adresa?", ["place"]),
        ("Сколько стоит доставка?", ["price"]),
        ("Πόσο κοστίζει;", ["price"]),
        ("Telefon numaranız nedir?", ["phone"]),
        ("Giá bao nhiêu?", ["price"]),
        ("كم سعره؟", ["price"]),
        ("ما هو السعر؟", ["price"]),
        ("قیمت این چراغ چند است؟", ["price"]),
        ("מה המחיר?", ["price"]),
        ("اس کی قیمت کیا ہے؟", ["price"]),
        ("इसकी कीमत क्या है?", ["price"]),
        ("電話番号を教えてください", ["phone"]),
        ("营业时间是什么时候", ["hours"]),
        ("ราคาเท่าไหร่", ["price"]),
        ("How are the Basque words counted?", []),
    ],
)
def test_details_are_asked_for_in_every_language(question: str, names: list[str]) -> None:
    assert [detail.name for detail in requested_details(question)] == names
