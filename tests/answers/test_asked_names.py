"""What a passage loses for a name that the question turns on."""

from dataclasses import replace
from datetime import date

from app.answers.writing.answer_context import Source
from app.answers.writing.asked_names import AskedNames
from app.answers.writing.passages import Passage, passages
from tests.every_row import every_row

PAGE = "Error E21 means a blocked funnel.\n\nThe server runs under Linux, and FastAPI starts it."


def source(text: str = PAGE, title: str = "Errors of the hub") -> Source:
    return Source(1, "https://x.example/1", title, text, chunk_id="c1")


def passage(text: str) -> Passage:
    return passages(source(text))[0]


def odds(question: str, text: str, language: str = "en", known: tuple[str, ...] = ()) -> float:
    return AskedNames(question, language, [source()], known).odds(passage(text))


def test_a_code_has_to_stand_in_the_passage_itself() -> None:
    assert odds("What does E21 mean?", "Error E21 means a blocked funnel.") == 0
    assert odds("What does e21 mean?", "The server runs under Linux.") < 0
    assert odds("E21", "The server runs under Linux.") < 0
    assert odds("WHAT IS E21", "Error E21 means a blocked funnel.") == 0
    assert odds("How is FastAPI started?", "Error E21 means a blocked funnel.") < 0


def test_a_year_of_which_no_source_tells_is_missed_most() -> None:
    def odds(question: str, text: str) -> float:
        sources = [source("Forum of 2023: slides."), source("Prices of 2026: 40 euros.")]
        return AskedNames(question, "en", sources).odds(passage(text))

    assert odds("Where is the 2023 forum?", "Forum of 2023: slides are here.") == 0
    assert odds("Where is the 2027 forum?", "Forum of 2023: slides are here.") < -4
    assert -4 < odds("Where is the 2026 forum?", "Forum of 2023: slides are here.") < 0
    assert odds("Where is the forum?", "Forum of 2023: slides are here.") == 0
    assert odds("Seconds since 1970?", "They count from 1970-01-01T00:00.") == 0
    assert odds("Does it take 2027.5 points, or 1,2027, or 2027-01?", "Forum of 2023: slides are here.") == 0


@every_row(
    ("question", "is_told"),
    [
        ("price of the ABX-9921-K", True),
        ("price of the abx9921k", True),
        ("price of article 0986494123", True),
        ("price of the ABX-9921-M", False),
        ("price of the ABX9921M", False),
        ("price of article 0 986 494 124", False),
        ("what does RFC 9921 say", True),
    ],
)
def test_a_part_number_of_which_no_source_tells_is_missed_as_a_year_is(question: str, is_told: bool) -> None:
    text = "| ABX-9921-K | 20 | size M |\n| 0 986 494 123 | 30 |\n| RFC 9921 |"
    names = AskedNames(question, "en", [source(text)])
    assert (names.odds(passage(text)) < -4) is not is_told


def test_the_year_of_a_page_s_date_or_address_is_told() -> None:
    for told in (replace(source(), day=date(2027, 3, 1)), replace(source(), url="https://x.example/2027/forum")):
        [first, *_] = passages(told)
        assert AskedNames("Where is the forum of 2027?", "en", [told]).odds(first) == 0


def test_the_parts_of_a_joined_name_may_stand_apart() -> None:
    assert odds("Was ist das Sticky-Bit?", "The sticky bit keeps others from deleting a file.", "de") == 0


def test_a_name_has_to_stand_in_some_source() -> None:
    assert odds("Does it run under Linux?", "Error E21 means a blocked funnel.") == 0
    assert odds("Does it run under Windows?", "Error E21 means a blocked funnel.") < 0


def test_the_more_of_the_names_are_missing_the_more_is_lost() -> None:
    one = odds("Does E21 mean the same under Windows?", "Error E21 means a blocked funnel.")
    both = odds("Does E22 mean the same under Windows?", "Error E21 means a blocked funnel.")
    assert both < one < 0


@every_row(
    "question",
    ["how do I clean it?", "How do I clean Linux's funnel?", "HOW DO I CLEAN IT", "Windows are open, what now?", "?"],
)
def test_questions_without_such_a_name_lose_nothing(question: str) -> None:
    assert odds(question, "Error E21 means a blocked funnel.") == 0


def test_german_nouns_are_no_names_but_codes_are() -> None:
    assert odds("Wie reinige ich den Trichter?", "Error E21 means a blocked funnel.", "de") == 0
    assert odds("Was bedeutet E22?", "Error E21 means a blocked funnel.", "de") < 0


def test_the_name_of_the_site_goes_without_saying() -> None:
    assert odds("What does Nimbrel cost?", "Error E21 means a blocked funnel.") < 0
    assert odds("What does Nimbrel cost?", "Error E21 means a blocked funnel.", known=("Nimbrel",)) == 0
