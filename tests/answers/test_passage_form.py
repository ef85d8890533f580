"""What is known of a passage by its form."""

from dataclasses import replace
from datetime import date

import pytest

from app.answers.writing.answer_context import Source
from app.answers.writing.passage_form import form_odds, without_told
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


@pytest.mark.parametrize(
    ("question", "definition"),
    [
        ("What is a hub?", "It glows. A hub is the box that lamps talk to."),
        ("what are hubs", "**Hub** (or bridge) is what lamps talk to."),
        ("What is the glass for?", "The glass is what keeps the light white."),
        ("What does hub mean?", "Lamps talk to hubs, i.e. boxes with a button."),
        ("what is a DMX", "Lamps know Digital Multiplex (DMX)."),
        ("lamp.ini: what does 'hub' mean?", "`hub`\n\nWhere the lamps are looked for."),
        ("meaning of hub", "Lamps talk to a box. Hub means just that box."),
        ("what does the hub do", "**--hub**\n\nAsk the lamps."),
        ("Hub, what is that?", "A hub is the box that lamps talk to."),
        ("Was ist ein Hub?", "Ein Hub ist der Kasten, mit dem Lampen sprechen."),
    ],
)
def test_a_definition_speaks_for_a_passage_where_one_is_asked_for(question: str, definition: str) -> None:
    assert form_odds(question, passage(definition)) > 0
    assert form_odds(question, passage("Hold each hub. Some of these hubs are red. The DMX plug is red.")) == 0
    assert form_odds("How do I reset a hub?", passage(definition)) == 0


def test_what_begins_a_section_defines_what_its_heading_names() -> None:
    assert form_odds("What is a lamp hub?", passage("Lamps talk to it.", "2.1. Lamp hub")) > 0
    assert form_odds("What is a lamp hub?", passage("Lamps talk to it.", "2.1. Lamp hubs of old")) == 0
    begins = passage(f"{'Lamps talk to it all day. ' * 20}\n\n{'The box is white. ' * 20}", "2.1. Lamp hub")
    assert form_odds("What is a lamp hub?", replace(begins, start=1, end=2)) == 0


def test_a_word_for_what_was_told_before_is_no_name_to_define() -> None:
    assert form_odds("What is it?", passage("It is the box that lamps talk to.")) == 0


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


@pytest.mark.parametrize("question", ["Where do I set the version of my package?", "Can I show two versions at once?"])
def test_a_question_about_versions_of_something_asks_for_no_notes_of_changes(question: str) -> None:
    assert form_odds(question, passage(PROSE, heading="1.18.0 - 2026-08-11")) < 0


@pytest.mark.parametrize(
    "question",
    [
        *("What changed for the hub?", "Is it in the latest release?", "Has 2.4 a reset?"),
        *("Which version has a reset?", "Is there a reset in version 3?"),
    ],
)
def test_but_not_where_they_are_asked_for(question: str) -> None:
    assert form_odds(question, passage(PROSE, heading="Changelog")) == 0


@pytest.mark.parametrize(
    "name", ["Recording changes", "Hub, version 2 of the manual", "Server 2.4 documentation", "Section 1 of 2"]
)
def test_a_name_that_only_has_such_words_is_a_name_like_others(name: str) -> None:
    assert form_odds("How do I reset the hub?", passage(PROSE, heading=name)) == 0


def test_questions_that_the_page_answers_elsewhere_weigh_less() -> None:
    asked = "- How do I reset the hub? Does it forget my lamps?\n- Why is its light red? I only moved it."
    assert form_odds("How do I reset the hub?", passage(asked)) < 0
    assert form_odds("How do I reset the hub?", passage(f"Is its light red? {PROSE} Still red? Hold it again.")) == 0


def test_a_list_of_links_weighs_less() -> None:
    assert form_odds("How do I reset the hub?", passage(MENU)) < 0
    assert form_odds("How do I reset the hub?", passage(f"{PROSE} See [the hub](/hub).")) == 0


@pytest.mark.parametrize("name", ["Index", "Chapter 63 - Concept Index", "Table of contents", "Sitemap"])
def test_an_index_weighs_less(name: str) -> None:
    assert form_odds("How do I reset the hub?", passage("Reset, hub: Settings, First steps", title=name)) < 0


def test_a_table_of_contents_weighs_less() -> None:
    contents = "- 1 Hub\n  - !set up\n  - $RESET\n- 2 Lamps\n  - Change a bulb\n  - Change the shade"
    assert form_odds("How do I change a bulb?", passage(contents)) < 0
    for saying in ("Change a bulb: turn it.", "Turn the bulb.", "Which bulb?", "Bulb €3"):
        assert form_odds("How do I change a bulb?", passage(contents.replace("Change a bulb", saying))) == 0
    assert form_odds("How do I change a bulb?", passage(contents.replace("  - ", "- "))) == 0


@pytest.mark.parametrize("name", ["Create an index", "CREATE INDEX", "Contents of the box"])
def test_a_page_about_an_index_is_none(name: str) -> None:
    assert form_odds("How do I reset the hub?", passage(PROSE, title=name)) == 0


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("phone number", "Hub Ltd, +353 1 555 0110"),
        ("Telefonnummer", "Hub GmbH, 0831 555 0122"),
        ("¿Cuál es el teléfono?", "Llame al 956 555 019 por la mañana"),
        ("where are you located", "Hub Ltd, 214b Canal Street, 3511 NR Utrecht"),
        ("wo seid ihr", "Illerweg 27, 87435 Kempten"),
        ("opening hours sunday", "Sunday: 9:00\u201313:00, by appointment"),
        ("habt ihr sonntag offen", "| Sonntag | 9:30\u201316:00 Uhr |"),
        ("how heavy is the hub", "The hub, 1.2 kg, with its stand"),
    ],
)
def test_what_is_asked_for_need_not_be_called_by_its_name(question: str, told: str) -> None:
    assert form_odds(question, passage(told)) > form_odds(question, passage(PROSE)) == 0
    assert without_told(f"{question} hub", told) != f"{question} hub" == without_told(f"{question} hub", PROSE)


@pytest.mark.parametrize(
    "question", ["How do I change my email address?", "Wo ist mein Paket?", "¿Dónde está mi pedido?"]
)
def test_other_questions_ask_for_no_address(question: str) -> None:
    assert form_odds(question, passage("Hub Ltd, 214b Canal Street, 3511 NR Utrecht")) == 0


def test_only_the_words_for_what_is_told_are_left_out() -> None:
    assert without_told("What does the small hub cost?", "The hub is \u20ac59.") == "What does the small hub ?"
    assert (
        without_told("What does it cost, and how heavy is it?", "It is \u20ac59.")
        == "What does it cost, and how heavy is it?"
    )


@pytest.mark.parametrize(
    ("url", "day", "is_old"),
    [
        ("https://x.example/blog/new-prices", date(2024, 2, 1), True),
        ("https://x.example/2024/02/new-prices", date(2024, 2, 1), True),
        ("https://x.example/blog/new-prices", date(2026, 10, 1), False),
        ("https://x.example/prices", date(2024, 2, 1), False),
    ],
)
def test_an_old_post_tells_what_was_so(url: str, day: date, is_old: bool) -> None:
    source = Source(1, url, "New prices", PROSE, chunk_id="c1", as_of=date(2026, 11, 26), day=day)
    [post] = passages(source)
    assert (form_odds("How do I reset the hub?", post) < 0) is is_old
    assert form_odds("What is new in resetting the hub?", post) == 0
    assert form_odds("How do I reset the hub?", replace(post, source=replace(source, as_of=None))) == 0
