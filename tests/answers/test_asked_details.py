"""What is asked for by words that a page need not say."""

import pytest

from app.core.text.questions.asked_details import is_told_alone, without_details

CONTACT = "Hub Ltd, 214b Canal Street, 3511 NR Utrecht, +353 1 555 0110, hello@hub.example"


@pytest.mark.parametrize(
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
    assert is_told_alone(question, CONTACT)
    assert not is_told_alone(question, "Hold its button for ten seconds.")


@pytest.mark.parametrize(
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
    assert not is_told_alone(question, f"{CONTACT}, 2 kg, EUR 5")
