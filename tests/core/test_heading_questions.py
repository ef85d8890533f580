"""Headings as questions: those that ask, and instructions."""

from app.core.text.question_parts import heading_question
from tests.every_row import every_row


@every_row(
    ("heading", "language", "question"),
    [
        ("What does delivery cost?", "en", "What does delivery cost?"),
        ("How to cancel your plan", "en", "How do I cancel my plan?"),
        ("How to cook", "en", "How to cook"),
        ("What happens to old plans", "en", "What happens to old plans"),
        ("What the hub light means", "en", None),
        ("How we measure rain", None, None),
        ("What the light means?", "en", "What the light means?"),
        ("Made in Galway, where it rains", "en", None),
        ("Wie kündige ich?", "de", "Wie kündige ich?"),
        ("解約できますか？", "ja", "解約できますか？"),
        ("Cancel your plan", "en", "How do I cancel my plan?"),
        ("Core Command-line Options", "en", None),
        ("Tool-selection Option", "en", None),
        ("Order form", None, None),
        ("Den Vertrag kündigen", "de", None),
        ("Are you ready to start?", "en", None),
        ("Contact us", "en", None),
        ("When prices change", "en", None),
        ("When do prices change?", "en", "When do prices change?"),
        ("Quand les prix changent", "fr", None),
        ("", "en", None),
    ],
)
def test_a_heading_is_a_question_if_it_asks_or_instructs(
    heading: str, language: str | None, question: str | None
) -> None:
    assert heading_question(heading, language) == question
