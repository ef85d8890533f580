"""What is known of a passage by its form."""

import pytest

from app.answers.writing.answer_context import Source
from app.answers.writing.passage_form import form_odds
from app.answers.writing.passages import Passage, passages

PROSE = "Hold the button of the hub for ten seconds, until the light is red."
MENU = "- [Set up](/set-up)\n- [Reset the hub](/reset)\n- [Contact](/contact)"


def passage(text: str, heading: str = "", title: str = "Page") -> Passage:
    breadcrumb = (heading,) if heading else ()
    source = Source(1, "https://x.example/1", title, text, chunk_id="c1", heading=heading, breadcrumb=breadcrumb)
    return passages(source)[0]


@pytest.mark.parametrize("question", ["What does the hub cost?", "Was kostet der Hub?", "how much is a hub"])
def test_a_price_speaks_for_a_passage_where_one_is_asked_for(question: str) -> None:
    assert form_odds(question, passage("The hub is €59 with VAT.")) > 0
    assert form_odds(question, passage("The hub is white and small.")) == 0
    assert form_odds("How heavy is the hub?", passage("The hub is €59 with VAT.")) == 0


def test_the_card_of_what_is_asked_for_goes_before_another_price() -> None:
    card = passage("€3.90 a month\n\nor €39 a year.", heading="Plus", title="Plans and prices")
    other = passage("It costs €189 with 30 days of the Plus plan.", title="The hub")
    assert form_odds("What does the Plus plan cost?", card) > form_odds("What does the Plus plan cost?", other) > 0
    assert form_odds("What does the Pro plan cost?", card) == form_odds("What does the Pro plan cost?", other)


@pytest.mark.parametrize(
    "name",
    [
        *("Changelog", "Change log", "What\u2019s new in 2.4?", "9. What's new", "Release notes", "Version history"),
        *("Changes since version 3", "v1.2.0", "1.2", "Version 1.2.0", "[1.2.0] - 2026-02-01", "1.2.0 (2026-02-01)"),
    ],
)
def test_notes_of_changes_weigh_less(name: str) -> None:
    assert form_odds("How do I reset the hub?", passage(PROSE, heading=name)) < 0
    assert form_odds("How do I reset the hub?", passage(PROSE, title=name)) < 0


@pytest.mark.parametrize("question", ["What changed for the hub?", "Is it in the latest release?", "Has 2.4 a reset?"])
def test_but_not_where_they_are_asked_for(question: str) -> None:
    assert form_odds(question, passage(PROSE, heading="Changelog")) == 0


@pytest.mark.parametrize(
    "name", ["Recording changes", "Hub, version 2 of the manual", "Server 2.4 documentation", "Section 1 of 2"]
)
def test_a_name_that_only_has_such_words_is_a_name_like_others(name: str) -> None:
    assert form_odds("How do I reset the hub?", passage(PROSE, heading=name)) == 0


def test_a_list_of_links_weighs_less() -> None:
    assert form_odds("How do I reset the hub?", passage(MENU)) < 0
    assert form_odds("How do I reset the hub?", passage(f"{PROSE} See [the hub](/hub).")) == 0


@pytest.mark.parametrize("name", ["Index", "Chapter 63 - Concept Index", "Table of contents", "Sitemap"])
def test_an_index_weighs_less(name: str) -> None:
    assert form_odds("How do I reset the hub?", passage("Reset, hub: Settings, First steps", title=name)) < 0


@pytest.mark.parametrize("name", ["Create an index", "CREATE INDEX", "Contents of the box"])
def test_a_page_about_an_index_is_none(name: str) -> None:
    assert form_odds("How do I reset the hub?", passage(PROSE, title=name)) == 0
